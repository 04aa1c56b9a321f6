-- The tables for DuckDB, out of files: `failwise ship --format jsonl -o records.jsonl`, and the client's events as one flat object
-- a line. A record that came twice is there once, and of a session or an episode the last record counts.
CREATE OR REPLACE TABLE records AS
SELECT * FROM read_json('records.jsonl', format = 'newline_delimited', columns = {
    event: 'VARCHAR', "at": 'TIMESTAMP', "log.record.uid": 'VARCHAR', "session.id": 'VARCHAR', tool_use_id: 'VARCHAR',
    "host.id": 'VARCHAR', "failwise.person": 'VARCHAR', "failwise.client.version": 'VARCHAR', "failwise.instructions": 'VARCHAR',
    "vcs.repository.name": 'VARCHAR', "gen_ai.tool.name": 'VARCHAR', "error.type": 'VARCHAR', "failwise.outcome": 'VARCHAR',
    "failwise.program": 'VARCHAR', "failwise.signature.fine": 'VARCHAR', "failwise.episode": 'VARCHAR',
    "failwise.attempt": 'INTEGER', "failwise.unchanged_retries": 'INTEGER', "failwise.told": 'BOOLEAN',
    "failwise.ended": 'VARCHAR', "failwise.attempts": 'INTEGER', "failwise.calls": 'BIGINT', "failwise.failed": 'BIGINT',
    "failwise.masked": 'BIGINT'
})
QUALIFY row_number() OVER (
    PARTITION BY event, CASE event WHEN 'failwise.verdict' THEN "log.record.uid" ELSE "session.id" END,
        CASE event WHEN 'failwise.episode' THEN "failwise.episode" END
    ORDER BY "at" DESC
) = 1;

CREATE OR REPLACE VIEW verdicts AS
SELECT "at", "session.id" AS session_id, tool_use_id AS call_id, coalesce("failwise.person", "host.id") AS person,
    "failwise.client.version" AS client, "failwise.instructions" AS instructions, "vcs.repository.name" AS repository,
    "gen_ai.tool.name" AS tool, "error.type" AS category, "failwise.outcome" AS outcome, "failwise.program" AS program,
    "failwise.signature.fine" AS signature, "failwise.episode" AS episode, "failwise.attempt" AS attempt,
    "failwise.unchanged_retries" AS unchanged_retries, "failwise.told" AS told
FROM records WHERE event = 'failwise.verdict';

CREATE OR REPLACE VIEW episodes AS
SELECT "at", "session.id" AS session_id, "failwise.episode" AS episode, "failwise.ended" AS ended, "failwise.attempts" AS attempts
FROM records WHERE event = 'failwise.episode';

CREATE OR REPLACE VIEW sessions AS
SELECT "at", "session.id" AS session_id, "vcs.repository.name" AS repository, "failwise.instructions" AS instructions,
    "failwise.calls" AS calls, "failwise.failed" + "failwise.masked" AS failed
FROM records WHERE event = 'failwise.session';

CREATE OR REPLACE TABLE client_events AS
SELECT * FROM read_json('client.jsonl', format = 'newline_delimited', columns = {
    event: 'VARCHAR', "at": 'TIMESTAMP', "session.id": 'VARCHAR', "prompt.id": 'VARCHAR', tool_use_id: 'VARCHAR',
    duration_ms: 'BIGINT', cost_usd: 'DOUBLE'
});

CREATE OR REPLACE VIEW tool_results AS
SELECT "session.id" AS session_id, "prompt.id" AS prompt_id, tool_use_id AS call_id, duration_ms
FROM client_events WHERE event = 'claude_code.tool_result';

CREATE OR REPLACE VIEW api_requests AS
SELECT "session.id" AS session_id, "prompt.id" AS prompt_id, cost_usd
FROM client_events WHERE event = 'claude_code.api_request';

-- Time and money of each call: the money of a prompt is shared by its calls.
CREATE OR REPLACE TABLE calls AS
SELECT t.session_id AS session_id, t.call_id AS call_id, t.duration_ms AS duration_ms, a.cost / c.calls AS money
FROM tool_results AS t
JOIN (SELECT session_id, prompt_id, count(*) AS calls FROM tool_results GROUP BY session_id, prompt_id) AS c
    ON c.session_id = t.session_id AND c.prompt_id = t.prompt_id
LEFT JOIN (SELECT session_id, prompt_id, sum(cost_usd) AS cost FROM api_requests GROUP BY session_id, prompt_id) AS a
    ON a.session_id = t.session_id AND a.prompt_id = t.prompt_id;
