-- Seven questions, the same for DuckDB, ClickHouse and PostgreSQL: `tables/` has the tables of each. Lines with `-- name` begin one.

-- costliest: the failures that cost most, by people, hours and money: time and money are the client's own.
SELECT v.signature, min(v.category) AS kind, min(v.program) AS called, count(*) AS failures, count(DISTINCT v.person) AS people,
    round(sum(coalesce(c.duration_ms, 0)) / 3600000.0, 3) AS hours,
    round(CAST(sum(coalesce(c.money, 0)) AS decimal(18, 6)), 2) AS money
FROM verdicts AS v
LEFT JOIN calls AS c ON c.session_id = v.session_id AND c.call_id = v.call_id
WHERE v.signature IS NOT NULL
GROUP BY v.signature ORDER BY money DESC, v.signature LIMIT 20;

-- new: what was met first at or after a moment, here noon.
SELECT signature, min(category) AS kind, min(program) AS called, count(*) AS failures, count(DISTINCT person) AS people
FROM verdicts AS v WHERE signature IS NOT NULL
GROUP BY signature HAVING min(v.at) >= '2026-03-02 12:00:00' ORDER BY failures DESC, signature LIMIT 50;

-- where: by repository, program and the client's version.
SELECT repository, program, client, count(*) AS failures, count(DISTINCT person) AS people
FROM verdicts WHERE outcome <> 'denied'
GROUP BY repository, program, client ORDER BY failures DESC, repository, program, client LIMIT 50;

-- changed: before and after a change of CLAUDE.md, failures for 100 calls. A session counts under the text that it ended with.
SELECT repository, instructions, min(s.at) AS since, count(*) AS sessions, sum(calls) AS made,
    round(100.0 * sum(failed) / sum(calls), 2) AS for_100_calls
FROM sessions AS s WHERE instructions IS NOT NULL
GROUP BY repository, instructions ORDER BY repository, since, instructions;

-- loops: the same call again with nothing changed in between.
SELECT repository, signature, min(program) AS called, count(*) AS retries, max(unchanged_retries) AS longest,
    count(DISTINCT session_id) AS in_sessions
FROM verdicts WHERE unchanged_retries > 0
GROUP BY repository, signature ORDER BY retries DESC, repository, signature LIMIT 20;

-- refused: calls that a person or a rule refused, with the rule that ends the question.
SELECT repository, CASE WHEN program IS NULL THEN tool ELSE concat(tool, '(', program, ':*)') END AS allow, count(*) AS refusals,
    count(DISTINCT person) AS people
FROM verdicts WHERE outcome = 'denied'
GROUP BY repository, allow ORDER BY refusals DESC, repository, allow LIMIT 50;

-- advice: how often a message was the last that a failure needed: the next try passed, or another form did the work.
SELECT v.category AS kind, count(*) AS said, sum(CASE WHEN e.ended IN ('passed', 'replaced') AND e.attempts = v.attempt THEN 1 ELSE 0 END) AS helped
FROM verdicts AS v
LEFT JOIN episodes AS e ON e.session_id = v.session_id AND e.episode = v.episode
WHERE v.told GROUP BY v.category ORDER BY said DESC, kind;
