-- The tables for ClickHouse, behind the collector's exporter: it fills `otel_logs`, of which these are the columns that count here.
-- The body of a record is the name of its event, for Failwise and the client alike.
-- Of records with one key the engine keeps the last, and `FINAL` leaves out those that it has not merged yet.
CREATE TABLE IF NOT EXISTS otel_logs (
    Timestamp DateTime64(9), Body String,
    ResourceAttributes Map(LowCardinality(String), String), LogAttributes Map(LowCardinality(String), String)
) ENGINE = MergeTree ORDER BY Timestamp;

CREATE TABLE IF NOT EXISTS records (
    event LowCardinality(String), record_key String, at DateTime64(3), session_id String, call_id String, person String,
    client LowCardinality(Nullable(String)), instructions LowCardinality(Nullable(String)), repository LowCardinality(Nullable(String)),
    tool LowCardinality(String), category LowCardinality(Nullable(String)), outcome LowCardinality(String),
    program LowCardinality(Nullable(String)), signature Nullable(String), episode Nullable(String), attempt UInt32,
    unchanged_retries UInt32, told Bool, ended LowCardinality(String), attempts UInt32, calls UInt64, failed UInt64
) ENGINE = ReplacingMergeTree(at) ORDER BY (event, record_key);

CREATE MATERIALIZED VIEW IF NOT EXISTS records_of_logs TO records AS
SELECT Body AS event,
    multiIf(Body = 'failwise.verdict', L['log.record.uid'], Body = 'failwise.episode',
        concat(L['session.id'], ' ', L['failwise.episode']), L['session.id']) AS record_key,
    Timestamp AS at, L['session.id'] AS session_id, L['tool_use_id'] AS call_id,
    if(R['failwise.person'] = '', R['host.id'], R['failwise.person']) AS person,
    nullIf(R['failwise.client.version'], '') AS client, nullIf(R['failwise.instructions'], '') AS instructions,
    nullIf(R['vcs.repository.name'], '') AS repository, L['gen_ai.tool.name'] AS tool, nullIf(L['error.type'], '') AS category,
    L['failwise.outcome'] AS outcome, nullIf(L['failwise.program'], '') AS program,
    nullIf(L['failwise.signature.fine'], '') AS signature, nullIf(L['failwise.episode'], '') AS episode,
    toUInt32OrZero(L['failwise.attempt']) AS attempt, toUInt32OrZero(L['failwise.unchanged_retries']) AS unchanged_retries,
    L['failwise.told'] = 'true' AS told, L['failwise.ended'] AS ended, toUInt32OrZero(L['failwise.attempts']) AS attempts,
    toUInt64OrZero(L['failwise.calls']) AS calls,
    toUInt64OrZero(L['failwise.failed']) + toUInt64OrZero(L['failwise.masked']) AS failed
FROM (SELECT Body, Timestamp, LogAttributes AS L, ResourceAttributes AS R FROM otel_logs WHERE Body LIKE 'failwise.%');

CREATE VIEW IF NOT EXISTS verdicts AS SELECT * FROM records FINAL WHERE event = 'failwise.verdict';
CREATE VIEW IF NOT EXISTS episodes AS SELECT * FROM records FINAL WHERE event = 'failwise.episode';
CREATE VIEW IF NOT EXISTS sessions AS SELECT * FROM records FINAL WHERE event = 'failwise.session';

CREATE TABLE IF NOT EXISTS client_events (
    event LowCardinality(String), session_id String, prompt_id String, call_id String, duration_ms UInt64, cost_usd Float64
) ENGINE = MergeTree ORDER BY (event, session_id);

CREATE MATERIALIZED VIEW IF NOT EXISTS client_events_of_logs TO client_events AS
SELECT Body AS event, L['session.id'] AS session_id, L['prompt.id'] AS prompt_id, L['tool_use_id'] AS call_id,
    toUInt64OrZero(L['duration_ms']) AS duration_ms, toFloat64OrZero(L['cost_usd']) AS cost_usd
FROM (SELECT Body, LogAttributes AS L FROM otel_logs WHERE Body LIKE 'claude_code.%');

-- Time and money of each call: the money of a prompt is shared by its calls.
CREATE VIEW IF NOT EXISTS calls AS
SELECT session_id, call.1 AS call_id, call.2 AS duration_ms, cost / length(made) AS money
FROM (
    SELECT session_id, groupArrayIf((call_id, duration_ms), event = 'claude_code.tool_result') AS made, sum(cost_usd) AS cost
    FROM client_events GROUP BY session_id, prompt_id
) ARRAY JOIN made AS call;
