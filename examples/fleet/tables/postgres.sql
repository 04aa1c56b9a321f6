-- The tables for PostgreSQL. `incoming` takes lines of `failwise ship --format jsonl` and of the client's events, as `\copy` brings
-- them; the statements behind it may be run again and again: a record that came before changes nothing, and of a session or an
-- episode the last one counts. `work_mem` of 128 MB keeps the joins of a day in memory.
CREATE TABLE IF NOT EXISTS incoming (line jsonb);

CREATE TABLE IF NOT EXISTS verdicts (
    uid text PRIMARY KEY, at timestamptz, session_id text, call_id text, person text COLLATE "C", client text, instructions text,
    repository text, tool text, category text, outcome text, program text, signature text COLLATE "C", episode text,
    attempt integer, unchanged_retries integer, told boolean
);
CREATE TABLE IF NOT EXISTS episodes (
    session_id text, episode text, at timestamptz, ended text, attempts integer, PRIMARY KEY (session_id, episode)
);
CREATE TABLE IF NOT EXISTS sessions (
    session_id text PRIMARY KEY, at timestamptz, repository text, instructions text, calls bigint, failed bigint
);
CREATE TABLE IF NOT EXISTS tool_results (session_id text, prompt_id text, call_id text, duration_ms bigint);
CREATE TABLE IF NOT EXISTS api_requests (session_id text, prompt_id text, cost_usd double precision);

INSERT INTO verdicts
SELECT line->>'log.record.uid', (line->>'at')::timestamptz, line->>'session.id', line->>'tool_use_id',
    coalesce(line->>'failwise.person', line->>'host.id'), line->>'failwise.client.version', line->>'failwise.instructions',
    line->>'vcs.repository.name', line->>'gen_ai.tool.name', line->>'error.type', line->>'failwise.outcome',
    line->>'failwise.program', line->>'failwise.signature.fine', line->>'failwise.episode', (line->>'failwise.attempt')::integer,
    (line->>'failwise.unchanged_retries')::integer, (line->>'failwise.told')::boolean
FROM incoming WHERE line->>'event' = 'failwise.verdict'
ON CONFLICT (uid) DO NOTHING;

INSERT INTO episodes
SELECT DISTINCT ON (1, 2) line->>'session.id', line->>'failwise.episode', (line->>'at')::timestamptz, line->>'failwise.ended',
    (line->>'failwise.attempts')::integer
FROM incoming WHERE line->>'event' = 'failwise.episode' ORDER BY 1, 2, 3 DESC
ON CONFLICT (session_id, episode) DO UPDATE SET (at, ended, attempts) = (excluded.at, excluded.ended, excluded.attempts)
WHERE excluded.at > episodes.at;

INSERT INTO sessions
SELECT DISTINCT ON (1) line->>'session.id', (line->>'at')::timestamptz, line->>'vcs.repository.name', line->>'failwise.instructions',
    (line->>'failwise.calls')::bigint, (line->>'failwise.failed')::bigint + (line->>'failwise.masked')::bigint
FROM incoming WHERE line->>'event' = 'failwise.session' ORDER BY 1, 2 DESC
ON CONFLICT (session_id) DO UPDATE SET (at, repository, instructions, calls, failed)
    = (excluded.at, excluded.repository, excluded.instructions, excluded.calls, excluded.failed)
WHERE excluded.at > sessions.at;

INSERT INTO tool_results
SELECT line->>'session.id', line->>'prompt.id', line->>'tool_use_id', (line->>'duration_ms')::bigint
FROM incoming WHERE line->>'event' = 'claude_code.tool_result';
INSERT INTO api_requests
SELECT line->>'session.id', line->>'prompt.id', (line->>'cost_usd')::double precision
FROM incoming WHERE line->>'event' = 'claude_code.api_request';
TRUNCATE incoming;
-- Time and money of each call: the money of a prompt is shared by its calls.
CREATE MATERIALIZED VIEW IF NOT EXISTS calls AS
SELECT t.session_id AS session_id, t.call_id AS call_id, t.duration_ms AS duration_ms, a.cost / c.calls AS money
FROM tool_results AS t
JOIN (SELECT session_id, prompt_id, count(*) AS calls FROM tool_results GROUP BY session_id, prompt_id) AS c
    ON c.session_id = t.session_id AND c.prompt_id = t.prompt_id
LEFT JOIN (SELECT session_id, prompt_id, sum(cost_usd) AS cost FROM api_requests GROUP BY session_id, prompt_id) AS a
    ON a.session_id = t.session_id AND a.prompt_id = t.prompt_id
WITH NO DATA;
REFRESH MATERIALIZED VIEW calls;
ANALYZE;
