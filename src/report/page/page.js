'use strict';
// Draws the report from the JSON in #data. Text from sessions only ever becomes a text node: nothing here reads it as HTML.
(() => {
  const CLASSES = [
    ['F1', 'transient', 'wait, then retry'],
    ['F2', 'local-logic', 'the agent fixes the cause'],
    ['F3', 'local-design', 'replan the story'],
    ['F4', 'story-level', 'replan the feature'],
    ['F5', 'architectural', 'ask a person'],
    ['F6', 'conflict-induced', 'arbitrate'],
  ];
  const CODES = CLASSES.map(([code]) => code);
  const ENDINGS = {
    fixed_by_edit: 'fixed by an edit',
    fixed_by_shell: 'fixed by a command',
    by_itself: 'passed by itself',
    replaced: 'done another way',
    moved_on: 'moved on without it',
    abandoned: 'left failing',
    open: 'still failing',
  };
  const DAY = 86400;
  const data = JSON.parse(byId('data').textContent);
  const totals = data.totals;
  // Failed calls, those that hid behind an exit status of 0 included.
  const failedIn = (counters) => counters.failed + counters.masked;
  const allFailed = failedIn(totals);

  // --- small things -----------------------------------------------------------------------------------------

  function byId(id) { return document.getElementById(id); }

  // el('td', {class: 'num'}, 'text', node): an element; strings become text nodes.
  function el(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else if (key.startsWith('--')) node.style.setProperty(key, value);
      else if (value !== null && value !== false) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const whole = new Intl.NumberFormat('en');
  const count = (n) => whole.format(n);
  const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more || `${one}s`}`;
  const total = (tokens) => tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;

  // The same figures as in the text and in Markdown: src/text/number.rs and src/time/span.rs.
  function short(n) {
    if (n < 1e4) return count(n);
    if (n < 1e6) return `${Math.floor(n / 1e3)} k`;
    const tenths = (unit) => `${Math.floor(n / unit)}.${Math.floor(((n % unit) * 10) / unit)}`;
    return n < 1e9 ? `${tenths(1e6)} M` : `${tenths(1e9)} G`;
  }

  function share(part, all) {
    if (!all) return '0 %';
    const percent = (100 * part) / all;
    return percent > 0 && percent < 0.5 ? '< 1 %' : `${Math.round(percent)} %`;
  }

  function duration(ms) {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
    const hours = Math.floor(minutes / 60);
    return `${count(hours)} h ${minutes % 60} min`;
  }

  const format = (options) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
  const DATE = format({ day: 'numeric', month: 'short' });
  const FULL_DATE = format({ day: 'numeric', month: 'short', year: 'numeric' });
  const CLOCK = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const MINUTE = format({ hour: '2-digit', minute: '2-digit' });
  // Seconds since 1970, or NaN where the data tell no time.
  const seconds = (ts) => (ts ? Date.parse(ts) / 1000 : NaN);
  const inWords = (style, at) => style.format(new Date(at * 1000));
  const when = (at) => (Number.isNaN(at) ? 'no time' : `${inWords(DATE, at)} ${inWords(CLOCK, at)}`);
  const dot = (code) => el('span', { class: `dot ${CODES.includes(code) ? code : ''}`, 'aria-hidden': 'true' });
  const ending = (word) => ENDINGS[word] || word || '';
  // A call as it was given, with its tool where that is no shell.
  const SHELLS = ['Bash', 'PowerShell', ''];
  const callOf = ({ tool, input, operation }) => (SHELLS.includes(tool || '') ? input || operation || tool || '' : [tool, input].filter(Boolean).join(' '));

  // The colour that a custom property has in the present theme, for canvases.
  function colour(name) {
    const probe = byId('main');
    probe.style.color = `var(${name})`;
    const value = getComputedStyle(probe).color;
    probe.style.color = '';
    return value;
  }

  function table(headings, rows, attributes) {
    const head = headings.map(([text, style]) => el('th', { scope: 'col', class: style || null }, text));
    return el('table', attributes || {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows));
  }

  const empty = (text) => el('p', { class: 'empty' }, text);
  const redraws = [];

  // --- the data, made ready once -----------------------------------------------------------------------------

  const sessions = new Map(data.sessions.map((session) => [session.id, session]));
  // An episode's id is its own in its session only.
  const episodeKey = (session, id) => `${session} ${id}`;
  const episodes = new Map(data.episodes.map((episode) => [episodeKey(episode.session, episode.id), episode]));
  const episodeOf = (failure) => episodes.get(episodeKey(failure.session, failure.episode));
  const failures = data.failures.map((failure, number) => ({
    ...failure,
    number,
    at: seconds(failure.ts),
    ended: (episodeOf(failure) || {}).ended,
  }));
  failures.sort((a, b) => (a.at || 0) - (b.at || 0) || a.number - b.number);

  function sessionName(session) {
    const start = session.started ? when(seconds(session.started)).slice(0, -3) : '';
    return `${session.project || 'no project'} ${start} (${count(failedIn(session))})`;
  }

  const projectOf = (item) => (sessions.get(item.session) || {}).project || 'no project';

  // --- overview ---------------------------------------------------------------------------------------------

  function overview() {
    const from = data.generated_from;
    const gone = data.left_out.sessions_without_files;
    const span = [from.first_ts, from.last_ts].filter(Boolean).map((ts) => inWords(FULL_DATE, seconds(ts)));
    const days = [...new Set(span)].join(' to ');
    byId('scope').textContent = [many(from.sessions, 'session'), gone && `of ${count(gone)} only the sums, their files are gone`, many(totals.calls, 'call'), days].filter(Boolean).join(' · ');
    lesson();
    byId('verdict').append(...sentence());
    byId('tiles').append(...tiles().map(([name, figure, note]) => el('div', {},
      el('dt', {}, name), el('dd', { class: 'figure' }, figure), note ? el('dd', { class: 'note' }, note) : null)));
  }

  // What would have spared the most, where something was learned: what it quotes stands between backticks.
  function lesson() {
    if (!data.lesson) return;
    const { line, evidence } = data.lesson;
    const parts = line.split('`').map((part, number) => (number % 2 ? el('code', {}, part) : part));
    byId('lesson').append('Costliest lesson: ', ...parts, '. ',
      el('span', { class: 'quiet' }, `${evidence}. Lines for CLAUDE.md: `, el('code', {}, 'failwise lessons')));
    byId('lesson').hidden = false;
  }

  function sentence() {
    if (!totals.calls) return ['No calls were found in what was read.'];
    if (!allFailed) return [`Nothing failed in ${many(totals.calls, 'call')}.`];
    const spent = total(totals.tokens) ? `${share(total(totals.tokens_in_failure), total(totals.tokens))} of the tokens and ` : '';
    const open = unresolved ? ` ${many(unresolved, 'check')} never passed.` : '';
    return [
      `${count(allFailed)} of ${many(totals.calls, 'call')} failed`,
      totals.masked ? `, ${count(totals.masked)} of them behind an exit status of 0` : '',
      `. Working on failures took ${spent}${duration(totals.wall_ms_in_failure)}.${open}`,
    ];
  }

  const unresolved = (totals.endings.abandoned || 0) + (totals.endings.open || 0);

  function tiles() {
    const { guard } = totals;
    const rows = [
      ['Calls', count(totals.calls), `in ${many(data.generated_from.sessions, 'session')}`],
      ['Failed', count(allFailed), `${share(allFailed, totals.calls)} of all calls`],
      ['Hidden failures', count(totals.masked), 'exit status 0'],
      ['Episodes', count(totals.episodes), `${many(unresolved, 'check')} never passed`],
      ['Loops', count(totals.loops), `${many(totals.unchanged_retries, 'retry', 'retries')} unchanged`],
      ['Turns in failures', share(totals.turns_in_failure, totals.turns), `${count(totals.turns_in_failure)} of ${count(totals.turns)}`],
      ['Tokens in failures', share(total(totals.tokens_in_failure), total(totals.tokens)), `${short(total(totals.tokens_in_failure))} of ${short(total(totals.tokens))}`],
      ['Time in failures', share(totals.wall_ms_in_failure, totals.wall_ms), `${duration(totals.wall_ms_in_failure)} of ${duration(totals.wall_ms)}`],
    ];
    if (guard) rows.push(['The guard would save', many(guard.calls_saved, 'call'), `${short(guard.tokens_saved)} tokens, ${duration(guard.wall_ms_saved)}`]);
    if (totals.dead_subagents) rows.push(['Dead subagents', count(totals.dead_subagents), 'reported as completed']);
    return rows;
  }

  // --- failures over time -----------------------------------------------------------------------------------

  const POINT = 'Point at a bar to read it.';
  const shown = new Set(CODES);
  let overTimeChart = null;

  // Widths of a bar in seconds, from which the first is taken that gives few enough bars.
  const WIDTHS = [60, 300, 900, 3600, 3 * 3600, DAY, 7 * DAY, 28 * DAY];

  // Steps between the labels under the bars.
  const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 3 * 3600, 6 * 3600, DAY / 2, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 84 * DAY, 364 * DAY];

  // Bars of the chart: their start and the failures of each class in them.
  function buckets() {
    const days = data.days.map((day) => ({ at: seconds(`${day.day}T00:00:00Z`), classes: day.classes }));
    const timed = failures.filter((failure) => !Number.isNaN(failure.at));
    const items = days.length > 2 || !timed.length ? days
      : timed.map((failure) => ({ at: failure.at, classes: { [failure.class]: 1 } }));
    if (!items.length) return { width: DAY, bars: [] };
    const first = items.reduce((least, item) => Math.min(least, item.at), Infinity);
    const last = items.reduce((most, item) => Math.max(most, item.at), -Infinity);
    const least = items === days ? DAY : 60;
    // Beyond two years the bars grow, so that a wrong date makes no endless chart.
    const width = WIDTHS.find((width) => width >= least && (last - first) / width <= 62) || 28 * DAY * Math.ceil((last - first) / (28 * DAY) / 62);
    const start = Math.floor(first / width) * width;
    const bars = Array.from({ length: Math.floor((last - start) / width) + 1 }, (_, index) => ({ at: start + index * width, counts: CODES.map(() => 0) }));
    for (const item of items) {
      const bar = bars[Math.floor((item.at - start) / width)];
      CODES.forEach((code, index) => { bar.counts[index] += item.classes[code] || 0; });
    }
    return { width, bars };
  }

  const { width: barWidth, bars } = buckets();

  function barName(bar) {
    if (barWidth < DAY) return `${inWords(DATE, bar.at)} ${inWords(MINUTE, bar.at)}`;
    return barWidth === DAY ? inWords(FULL_DATE, bar.at) : `${inWords(DATE, bar.at)} to ${inWords(FULL_DATE, bar.at + barWidth - DAY)}`;
  }

  function drawOverTime() {
    const place = byId('over-time-chart');
    place.replaceChildren();
    if (overTimeChart) overTimeChart.destroy();
    overTimeChart = null;
    if (!bars.some((bar) => bar.counts.some(Boolean))) return place.append(empty('Nothing failed in this time.'));
    const caption = el('p', { class: 'quiet now' }, POINT);
    const canvas = el('div', { role: 'img', 'aria-label': overTimeInWords() });
    place.append(canvas, caption);
    // Each series holds its class and those below it, so that drawing from the top down stacks them.
    const stacked = CODES.map((_, upTo) => bars.map((bar) =>
      bar.counts.reduce((sum, n, index) => sum + (index <= upTo && shown.has(CODES[index]) ? n : 0), 0)));
    const order = CODES.map((_, index) => CODES.length - 1 - index).filter((index) => shown.has(CODES[index]));
    const paths = uPlot.paths.bars({ size: [0.78, 48] });
    const cursor = (chart) => {
      const bar = bars[chart.cursor.idx];
      caption.textContent = bar ? `${barName(bar)}: ${barInWords(bar)}` : POINT;
    };
    overTimeChart = new uPlot({
      width: place.clientWidth, height: 220, tzDate: inUtc, legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      hooks: { setCursor: [cursor] },
      scales: { x: { range: () => [bars[0].at - barWidth * 0.6, bars[bars.length - 1].at + barWidth * 0.6] }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [{ ...timeAxis(), incrs: STEPS.filter((step) => step >= barWidth) }, { ...axis(), size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000] }],
      series: [{}, ...order.map((index) => ({ label: CODES[index], paths, fill: colour(`--${CODES[index]}`), width: 0, points: { show: false } }))],
    }, [bars.map((bar) => bar.at), ...order.map((index) => stacked[index])], canvas);
  }

  const barInWords = (bar) => {
    const parts = CODES.map((code, index) => [code, bar.counts[index]]).filter(([, n]) => n);
    return parts.length ? parts.map(([code, n]) => `${code} ${count(n)}`).join(', ') : 'nothing failed';
  };

  function overTimeInWords() {
    const sums = bars.map((bar) => bar.counts.reduce((sum, n) => sum + n, 0));
    const most = sums.indexOf(Math.max(...sums));
    return `Stacked bars of failures by class. Most of them: ${count(sums[most])}, ${barName(bars[most])}. The table below has every number.`;
  }

  function overTime() {
    byId('over-time-legend').append(...chips(shown, (code) => totals.classes[code] || 0, drawOverTime));
    const rows = bars.filter((bar) => bar.counts.some(Boolean)).map((bar) => el('tr', {},
      el('th', { scope: 'row' }, barName(bar)), ...bar.counts.map((n) => el('td', { class: 'num' }, count(n)))));
    byId('over-time-table').append(table([['Time'], ...CODES.map((code) => [code, 'num'])], rows));
    drawOverTime();
    redraws.push(drawOverTime);
  }

  // Buttons that switch classes on and off in a set.
  function chips(set, number, changed) {
    return CLASSES.map(([code, name]) => el('button', {
      type: 'button', 'aria-pressed': String(set.has(code)), title: name, 'data-class': code,
      onclick: (event) => {
        if (!set.delete(code)) set.add(code);
        event.currentTarget.setAttribute('aria-pressed', String(set.has(code)));
        changed();
      },
    }, dot(code), `${code} ${count(number(code))}`));
  }

  const inUtc = (at) => uPlot.tzDate(new Date(at * 1000), 'UTC');

  function axis() {
    return { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1, size: 4 }, font: '12px system-ui, sans-serif' };
  }

  function timeAxis() {
    const label = (at, step) => {
      if (step >= DAY || at % DAY === 0) return inWords(DATE, at);
      return inWords(step >= 60 ? MINUTE : CLOCK, at);
    };
    return { ...axis(), space: 70, size: 32, values: (_, at, __, ___, step) => at.map((second) => label(second, step)) };
  }

  // --- classes and categories -------------------------------------------------------------------------------

  function meters(place, heading, rows, all) {
    if (!rows.length) return byId(place).append(empty('Nothing failed.'));
    const most = Math.max(...rows.map(([, , n]) => n));
    const lines = rows.map(([name, code, n]) => el('tr', { class: code },
      el('th', { scope: 'row' }, ...name),
      el('td', { class: 'meter', 'aria-hidden': 'true' }, el('span', { '--share': `${(100 * n) / most}%` })),
      el('td', { class: 'num' }, count(n)), el('td', { class: 'num wide' }, share(n, all))));
    const head = el('tr', {}, el('th', { scope: 'col' }, heading), el('td', { 'aria-hidden': 'true' }),
      el('th', { scope: 'col', class: 'num' }, 'Failed'), el('th', { scope: 'col', class: 'num wide' }, 'Share'));
    byId(place).append(el('table', { class: 'bars' }, el('thead', {}, head), el('tbody', {}, ...lines)));
  }

  const sum = (counts) => Object.values(counts).reduce((all, n) => all + n, 0);

  function kinds() {
    const classes = CLASSES.filter(([code]) => totals.classes[code])
      .map(([code, name, next]) => [[dot(code), ` ${code} ${name}`, el('span', { class: 'second' }, next)], code, totals.classes[code]]);
    meters('classes', 'Class', classes, sum(totals.classes));
    const categories = Object.entries(totals.categories).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([name, n]) => [[name.replaceAll('_', ' ')], null, n]);
    meters('categories', 'Category', categories, sum(totals.categories));
  }

  // --- signatures, episodes, loops --------------------------------------------------------------------------

  const LISTED = 8;

  function list(place, items, row, nothing) {
    if (!items.length) return byId(place).append(empty(nothing));
    byId(place).append(...items.slice(0, LISTED).map(row));
    if (items.length > LISTED) byId(place).append(el('p', { class: 'quiet' }, `and ${count(items.length - LISTED)} more`));
  }

  // A line that opens: a name with a second line, up to three figures with their words, and what is inside.
  function foldable(code, name, second, figures, inside) {
    const cells = figures.map(([figure, word], index) => el('span', { class: `figures ${index ? 'wide' : ''}` }, figure, el('small', {}, word)));
    const title = el('span', { class: 'name' }, dot(code), el('span', {}, el('span', { class: 'what clamp' }, name), el('span', { class: 'second' }, second)));
    const row = el('details', { class: 'row' }, el('summary', {}, title, ...cells));
    row.addEventListener('toggle', () => { if (row.open && row.childElementCount === 1) row.append(el('div', { class: 'inside' }, ...inside())); });
    return row;
  }

  const words = (category) => (category || '').replaceAll('_', ' ');

  function signatures() {
    const returning = data.signatures.filter((signature) => signature.failures > 1).sort((a, b) => b.failures - a.failures);
    const its = (signature) => data.episodes.filter((episode) => episode.signature === signature.signature);
    list('signature-list', returning, (signature) => foldable(
      signature.class, signature.excerpt || signature.operation,
      `${signature.class} ${words(signature.category)}, ${signature.operation}`,
      [[count(signature.failures), 'failures'], [count(signature.sessions), 'sessions'], [short(total(signature.tokens)), 'tokens']],
      () => [...its(signature).slice(0, 50).map(episodeLine), more(its(signature).length, 50), finder(signature.signature)],
    ), 'No failure was met twice.');
  }

  const more = (all, listed) => (all > listed ? el('p', { class: 'quiet' }, `and ${count(all - listed)} more`) : null);

  function episodeLine(episode) {
    const text = `${when(seconds(episode.first_ts))}, ${projectOf(episode)}: ${many(episode.attempts, 'attempt')}, ${ending(episode.ended)}, ${cost(episode)}`;
    return el('p', {}, text);
  }

  const cost = (item) => `${many(item.turns, 'turn')}, ${short(total(item.tokens))} tokens, ${duration(item.wall_ms)}`;

  // A button that filters the table below.
  function finder(text) {
    return el('button', { type: 'button', class: 'plain', onclick: () => find(text) }, 'Show its failed calls');
  }

  function find(text) {
    byId('filters').reset();
    byId('query').value = text;
    filter();
    byId('failures-title').scrollIntoView();
    byId('query').focus({ preventScroll: true });
  }

  const byCost = (a, b) => total(b.tokens) - total(a.tokens) || b.wall_ms - a.wall_ms || b.calls - a.calls;

  function costs() {
    const dear = [...data.episodes].sort(byCost);
    list('costly-episodes', dear, (episode) => foldable(
      episode.class, callOf(episode),
      `${words(episode.category)}, ${many(episode.attempts, 'attempt')}, ${ending(episode.ended)}`,
      [[duration(episode.wall_ms), 'time'], [short(total(episode.tokens)), 'tokens'], [count(episode.turns), 'turns']],
      () => [
        episode.excerpt ? el('p', { class: 'what' }, episode.excerpt) : null, episodeLine(episode),
        ...(episode.advice || []).map((said) => el('p', {}, el('span', { class: 'tag' }, 'would have said'), ' ', said.text)),
        finder(episode.signature),
      ],
    ), 'There was no failure to work on.');
    const loops = [...data.loops].sort(byCost);
    list('costly-loops', loops, (loop) => foldable(
      null, loop.operations[0] || '',
      loop.period === 1 ? `the same call ${many(loop.repeats, 'time')}, nothing changed` : `${count(loop.period)} steps, ${many(loop.repeats, 'round')}`,
      [[duration(loop.wall_ms), 'time'], [short(total(loop.tokens)), 'tokens'], [count(loop.calls), 'calls']],
      () => [...loop.operations.map((operation) => el('p', { class: 'what' }, operation)), el('p', {}, `${when(seconds(loop.first_ts))} to ${when(seconds(loop.last_ts))}`)],
    ), 'No loop was met.');
  }

  // --- filter -----------------------------------------------------------------------------------------------

  const OUTCOMES = { failed: 'failed', masked_failure: 'hidden by exit status 0' };
  const wanted = new Set(CODES);
  let found = failures;

  function filters() {
    const option = (value, text) => el('option', { value }, text);
    const options = (id, first, rest) => byId(id).append(option('', first), ...rest);
    options('session', 'all', [...sessions.values()].filter((session) => failedIn(session)).map((session) => option(session.id, sessionName(session))));
    options('category', 'all', Object.keys(totals.categories).sort().map((name) => option(name, words(name))));
    options('outcome', 'all', [...new Set(failures.map((failure) => failure.outcome))].sort().map((name) => option(name, OUTCOMES[name] || words(name))));
    byId('class-filter').append(...chips(wanted, (code) => totals.classes[code] || 0, filter));
    const form = byId('filters');
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', filter);
    form.addEventListener('reset', () => {
      CODES.forEach((code) => wanted.add(code));
      byId('class-filter').querySelectorAll('button').forEach((button) => button.setAttribute('aria-pressed', 'true'));
      setTimeout(filter);
    });
  }

  // What a search looks through, made at the first search.
  function haystack(failure) {
    failure.haystack ??= [failure.tool, failure.input, failure.excerpt, failure.category, failure.signature.fine, failure.session].join('\n').toLowerCase();
    return failure.haystack;
  }

  function filter() {
    const [session, category, outcome, query] = ['session', 'category', 'outcome', 'query'].map((id) => byId(id).value);
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    found = failures.filter((failure) => (!session || failure.session === session)
      && (!category || failure.category === category)
      && (!outcome || failure.outcome === outcome)
      && (wanted.has(failure.class) || !CODES.includes(failure.class))
      && terms.every((term) => haystack(failure).includes(term)));
    sort();
    timelineOf(session || (sessions.size === 1 ? [...sessions.keys()][0] : ''));
  }

  // --- timeline ---------------------------------------------------------------------------------------------

  const LANES = 12;
  // The height of a lane: its dots are above its bars, which are stacked where they overlap.
  const LANE = 48;
  const BARS = 4;
  const RAISED = 8;
  const timeline = { chart: null, items: [], bars: [], lanes: [], full: [0, 1], current: -1 };

  // Chooses what the timeline shows: the agents of a session, or the projects with most failures.
  function timelineOf(session) {
    const lane = (item) => (session ? item.node : projectOf(item));
    const sizes = new Map();
    for (const failure of found) if (!Number.isNaN(failure.at)) sizes.set(lane(failure), (sizes.get(lane(failure)) || 0) + 1);
    const lanes = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, LANES).map(([name]) => name);
    const index = new Map(lanes.map((name, number) => [name, number]));
    timeline.lanes = session ? lanes.map(agentName) : lanes;
    timeline.items = found.filter((failure) => index.has(lane(failure)) && !Number.isNaN(failure.at)).map((failure) => ({ at: failure.at, lane: index.get(lane(failure)), failure }));
    const inSight = new Set(timeline.items.map((item) => episodeOf(item.failure)));
    timeline.bars = data.episodes.filter((episode) => inSight.has(episode)).map((episode) => ({
      from: seconds(episode.first_ts), to: seconds(episode.ended_ts || episode.last_ts), lane: index.get(lane(episode)), class: episode.class,
    }));
    placeBars();
    timeline.left = sizes.size - lanes.length;
    timeline.current = -1;
    drawTimeline();
  }

  // Gives each bar the first row of its lane that is free; what does not fit goes into the last.
  function placeBars() {
    const ends = timeline.lanes.map(() => Array(BARS).fill(-Infinity));
    for (const bar of timeline.bars.sort((a, b) => a.from - b.from)) {
      const rows = ends[bar.lane];
      const free = rows.findIndex((end) => end < bar.from);
      bar.row = free < 0 ? BARS - 1 : free;
      rows[bar.row] = Math.max(rows[bar.row], bar.to || bar.from);
    }
  }

  // A node is `session/<id>`, `session/<id>/agent/<subagent>`, or a name of the plan tree.
  function agentName(node) {
    const [kind, , , agent] = node.split('/');
    if (kind !== 'session') return node;
    return agent ? `agent ${agent.slice(-8)}` : 'main';
  }

  function drawTimeline() {
    const place = byId('timeline');
    if (timeline.chart) timeline.chart.destroy();
    timeline.chart = null;
    place.replaceChildren();
    byId('timeline-now').textContent = '';
    if (!timeline.items.length) {
      byId('timeline-span').textContent = '';
      return place.append(empty(failures.length ? 'No failed call fits the filter.' : 'Nothing failed.'));
    }
    const ends = [...timeline.items.map((item) => item.at), ...timeline.bars.flatMap((bar) => [bar.from, bar.to])].filter((at) => !Number.isNaN(at));
    const first = ends.reduce((a, b) => Math.min(a, b));
    const last = ends.reduce((a, b) => Math.max(a, b));
    const edge = Math.max(2, (last - first) * 0.03);
    timeline.full = [first - edge, last + edge];
    const narrow = place.clientWidth < 520;
    const [left, right] = timeline.full;
    timeline.chart = new uPlot({
      width: place.clientWidth, height: 48 + LANE * timeline.lanes.length, tzDate: inUtc, legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false, setScale: true }, points: { show: false } },
      hooks: { draw: [drawItems], setScale: [(_, key) => { if (key === 'x') tellSpan(); }], setCursor: [hover] },
      scales: { x: { min: left, max: right, range: (_, from, to) => (from === null ? timeline.full : within(from, to)) }, y: { dir: -1, range: [-0.6, timeline.lanes.length - 0.4] } },
      axes: [timeAxis(), {
        ...axis(), size: narrow ? 74 : 140, splits: timeline.lanes.map((_, number) => number),
        values: () => timeline.lanes.map((name) => cut(name, narrow ? 9 : 19)),
      }],
      series: [{}, { paths: () => null, points: { show: false } }],
    }, [[left, right], [0, 0]], place);
    timeline.chart.over.addEventListener('click', (event) => { if (event.detail === 1 && timeline.near) openDetail(timeline.near.failure); });
    timeline.chart.over.addEventListener('dblclick', () => zoomTo(...timeline.full));
    tellSpan();
  }

  const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

  function tellSpan() {
    const { chart } = timeline;
    if (!chart || chart.scales.x.min === null) return;
    const { min, max } = chart.scales.x;
    const inside = timeline.items.filter((item) => item.at >= min && item.at <= max).length;
    const left = timeline.left > 0 ? `; ${many(timeline.left, 'lane')} with fewer failures not drawn` : '';
    byId('timeline-span').textContent = `${when(min)} to ${when(max)}: ${many(inside, 'failure')}${left}`;
  }

  function drawItems(chart) {
    const { ctx, bbox } = chart;
    const ratio = devicePixelRatio;
    const colours = Object.fromEntries(CODES.map((code) => [code, colour(`--${code}`)]));
    const quiet = colour('--quiet');
    const [text, card] = [colour('--text'), colour('--card')];
    const x = (at) => chart.valToPos(at, 'x', true);
    const y = (lane) => chart.valToPos(lane, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const bar of timeline.bars) {
      const from = x(bar.from);
      ctx.fillStyle = colours[bar.class] || quiet;
      ctx.fillRect(from, y(bar.lane) + (1 + 5 * bar.row) * ratio, Math.max(2 * ratio, x(bar.to) - from), 3 * ratio);
    }
    // Of dots that would cover one another exactly, one is drawn.
    const covered = new Set();
    timeline.items.forEach((item, index) => {
      const place = Math.round(x(item.at));
      if (place < bbox.left - 10 || place > bbox.left + bbox.width + 10) return;
      const hidden = item.failure.outcome === 'masked_failure';
      const look = ((place * LANES + item.lane) * 8 + CODES.indexOf(item.failure.class)) * 2 + (hidden ? 1 : 0);
      if (covered.has(look) && index !== timeline.current) return;
      covered.add(look);
      ctx.beginPath();
      ctx.arc(place, y(item.lane) - RAISED * ratio, 5 * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = hidden ? card : colours[item.failure.class] || quiet;
      ctx.strokeStyle = colours[item.failure.class] || quiet;
      ctx.lineWidth = 2 * ratio;
      ctx.fill();
      ctx.stroke();
      if (index !== timeline.current) return;
      ctx.beginPath();
      ctx.arc(place, y(item.lane) - RAISED * ratio, 9 * ratio, 0, 2 * Math.PI);
      ctx.strokeStyle = text;
      ctx.stroke();
    });
    ctx.restore();
  }

  // The failure under the pointer, if any.
  function hover(chart) {
    const { left, top } = chart.cursor;
    timeline.near = null;
    if (left === undefined || left < 0) return;
    let best = 14;
    for (const item of timeline.items) {
      const across = Math.abs(chart.valToPos(item.at, 'x') - left);
      if (across > best) continue;
      const away = Math.hypot(across, chart.valToPos(item.lane, 'y') - RAISED - top);
      if (away <= best) { best = away; timeline.near = item; }
    }
    chart.over.style.cursor = timeline.near ? 'pointer' : 'crosshair';
    if (timeline.near) byId('timeline-now').textContent = inOneLine(timeline.near.failure);
  }

  const inOneLine = (failure) => `${when(failure.at)}  ${failure.class} ${words(failure.category)}: ${cut(callOf(failure), 120)}`;

  // A span inside the whole, at least a second long.
  function within(from, to) {
    const [first, last] = timeline.full;
    const length = Math.min(Math.max(to - from, 1), last - first);
    const start = Math.min(Math.max(from, first), last - length);
    return [start, start + length];
  }

  function zoomTo(from, to) {
    const [min, max] = within(from, to);
    if (timeline.chart) timeline.chart.setScale('x', { min, max });
  }

  // Scales the span around its middle, or around the failure that is chosen.
  function zoom(factor) {
    if (!timeline.chart) return;
    const { min, max } = timeline.chart.scales.x;
    const chosen = timeline.items[timeline.current];
    const middle = chosen && chosen.at >= min && chosen.at <= max ? chosen.at : (min + max) / 2;
    zoomTo(middle - (middle - min) * factor, middle + (max - middle) * factor);
  }

  function pan(part) {
    if (!timeline.chart) return;
    const { min, max } = timeline.chart.scales.x;
    zoomTo(min + (max - min) * part, max + (max - min) * part);
  }

  function step(by) {
    if (!timeline.chart) return;
    timeline.current = Math.min(Math.max(timeline.current + by, 0), timeline.items.length - 1);
    const { at, failure } = timeline.items[timeline.current];
    const { min, max } = timeline.chart.scales.x;
    if (at < min || at > max) zoomTo(at - (max - min) / 2, at + (max - min) / 2);
    else timeline.chart.redraw(false);
    byId('timeline-now').textContent = inOneLine(failure);
  }

  function timelineKeys() {
    const keys = {
      ArrowRight: () => step(1), ArrowLeft: () => step(-1), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
      0: () => zoomTo(...timeline.full), Enter: () => { const item = timeline.items[timeline.current]; if (item) openDetail(item.failure); },
    };
    byId('timeline').addEventListener('keydown', (event) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    byId('zoom-in').onclick = () => zoom(0.5);
    byId('zoom-out').onclick = () => zoom(2);
    byId('pan-left').onclick = () => pan(-0.5);
    byId('pan-right').onclick = () => pan(0.5);
    byId('zoom-reset').onclick = () => zoomTo(...timeline.full);
    redraws.push(drawTimeline);
  }

  // --- the long table: only the rows in sight exist -----------------------------------------------------------

  const COLUMNS = [
    ['When', 'time', (failure) => failure.at || 0],
    ['Class', 'class', (failure) => failure.class],
    ['Category', 'kind wide', (failure) => failure.category],
    ['Call', 'call', callOf],
    ['Error', 'error wide', (failure) => failure.excerpt || ''],
    ['How it ended', 'end wide', (failure) => ending(failure.ended)],
  ];
  const BEYOND = 8;
  const grid = { by: 0, down: true, current: 0, first: -1, height: 34 };

  function failuresTable() {
    grid.body = el('tbody');
    grid.heads = COLUMNS.map(([name, style], column) => el('th', { scope: 'col', class: style },
      el('button', { type: 'button', onclick: () => sortBy(column) }, name)));
    grid.table = el('table', {}, el('thead', {}, el('tr', { 'aria-rowindex': '1' }, ...grid.heads)), grid.body);
    const box = byId('failures');
    box.append(grid.table);
    box.addEventListener('scroll', () => requestAnimationFrame(() => drawRows(false)));
    box.addEventListener('keydown', tableKeys);
    redraws.push(measure);
  }

  function sortBy(column) {
    grid.down = grid.by === column ? !grid.down : column === 0;
    grid.by = column;
    sort();
  }

  const compared = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function sort() {
    const [, , key] = COLUMNS[grid.by];
    const sign = grid.down ? -1 : 1;
    grid.rows = [...found].sort((a, b) => sign * (compared(key(a), key(b)) || a.at - b.at || a.number - b.number));
    grid.heads.forEach((head, column) => {
      if (column === grid.by) head.setAttribute('aria-sort', grid.down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    grid.table.setAttribute('aria-rowcount', String(grid.rows.length + 1));
    grid.current = 0;
    byId('failures').scrollTop = 0;
    const all = failures.length === allFailed ? '' : `; ${count(allFailed)} failed in all, the others are only in the sums`;
    byId('failures-count').textContent = `${count(grid.rows.length)} of ${many(failures.length, 'failed call')}${all}`;
    drawRows(true);
  }

  function drawRows(force) {
    const box = byId('failures');
    const first = Math.max(0, Math.floor(box.scrollTop / grid.height) - BEYOND);
    if (!force && first === grid.first) return;
    grid.first = first;
    const inSight = Math.ceil(parseFloat(getComputedStyle(box).maxHeight) / grid.height);
    const rows = grid.rows.slice(first, first + inSight + 2 * BEYOND);
    const focused = grid.body.contains(document.activeElement);
    const reachable = grid.current >= first && grid.current < first + rows.length ? grid.current : first;
    grid.body.replaceChildren(gap(first), ...rows.map((failure, index) => rowOf(failure, first + index, reachable)), gap(grid.rows.length - first - rows.length));
    if (!grid.rows.length) grid.body.replaceChildren(el('tr', {}, el('td', { class: 'empty', colspan: COLUMNS.length }, 'No failed call fits the filter.')));
    if (focused) focusRow(grid.current);
  }

  // Learns the height that the style gives a row here. For a moment there is no other row, so the place is set again.
  function measure() {
    const box = byId('failures');
    const top = box.scrollTop;
    const probe = el('tr', { class: 'item' }, el('td', {}, 'x'));
    grid.body.replaceChildren(probe);
    grid.height = probe.getBoundingClientRect().height || grid.height;
    drawRows(true);
    box.scrollTop = top;
  }

  const gap = (rows) => el('tr', { class: 'gap', 'aria-hidden': 'true' }, el('td', { colspan: COLUMNS.length, '--gap': `${rows * grid.height}px` }));

  function rowOf(failure, index, reachable) {
    const open = el('button', { type: 'button', class: 'open', tabindex: index === reachable ? '0' : '-1', 'data-row': index, onclick: () => openDetail(failure) }, when(failure.at));
    const hidden = failure.outcome === 'masked_failure' ? el('span', { class: 'tag' }, 'hidden') : null;
    const cells = [
      [open], [dot(failure.class), ' ', failure.class], [words(failure.category)],
      [hidden, hidden ? ' ' : null, el('span', { class: 'what' }, callOf(failure))], [failure.excerpt || ''], [ending(failure.ended)],
    ];
    return el('tr', { class: 'item', 'aria-rowindex': index + 2 }, ...cells.map((cell, column) => el('td', { class: COLUMNS[column][1] }, ...cell.filter(Boolean))));
  }

  function focusRow(index) {
    const button = grid.body.querySelector(`[data-row="${index}"]`);
    if (button) button.focus({ preventScroll: true });
  }

  function tableKeys(event) {
    if (!event.target.dataset.row) return;
    const box = byId('failures');
    const head = grid.table.tHead.offsetHeight;
    const page = Math.max(1, Math.floor((box.clientHeight - head) / grid.height) - 1);
    const to = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (!to) return;
    event.preventDefault();
    const from = Number(event.target.dataset.row);
    grid.current = Math.min(Math.max(from + to, 0), grid.rows.length - 1);
    const top = grid.current * grid.height;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + grid.height > box.scrollTop + box.clientHeight - head) box.scrollTop = top + grid.height - box.clientHeight + head;
    drawRows(true);
    focusRow(grid.current);
  }

  // --- one failure ------------------------------------------------------------------------------------------

  function openDetail(failure) {
    const session = sessions.get(failure.session) || {};
    const episode = episodeOf(failure);
    const known = CLASSES.find(([code]) => code === failure.class);
    const fields = [
      ['When', when(failure.at)],
      ['Class', known ? [dot(known[0]), ` ${known[0]} ${known[1]}: ${known[2]}`] : failure.class],
      ['Category', words(failure.category)],
      ['Outcome', OUTCOMES[failure.outcome] || words(failure.outcome)],
      ['Call', el('pre', {}, failure.input || failure.operation || '')],
      ['Error', el('pre', {}, failure.excerpt || '')],
      ['Session', [session.project, failure.session].filter(Boolean).join(', ')],
      ['Rule', `${failure.rule}, attempt ${count(failure.attempt)}`],
      ['Signature', failure.signature.fine],
      ['Where', `${failure.file} line ${failure.line}`],
      ['Episode', episode ? `${many(episode.attempts, 'attempt')}, ${ending(episode.ended)}; ${cost(episode)}` : ''],
      ...((episode && episode.advice) || []).map((said) => ['Would have said', said.text]),
    ];
    byId('detail-title').textContent = `${failure.tool || 'Call'} failed`;
    byId('detail-fields').replaceChildren(...fields.filter(([, value]) => value && value.textContent !== '')
      .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, ...[].concat(value))]));
    byId('detail').showModal();
  }

  // --- meaning, theme, start --------------------------------------------------------------------------------

  function skipped() {
    const rows = Object.entries(data.skipped).filter(([, n]) => n).map(([reason, n]) => el('tr', {}, el('th', { scope: 'row' }, reason), el('td', { class: 'num' }, count(n))));
    byId('skipped').append(rows.length ? table([['Reason'], ['Lines', 'num']], rows) : empty('Every line was read.'));
    const left = Object.entries(data.left_out).map(([list, n]) => `${words(list)}: ${count(n)}`).join(', ');
    if (left) byId('skipped').append(el('p', {}, `Only in the sums, not in the lists: ${left}.`));
    byId('left-out').querySelector('summary').textContent = `Lines that were left out: ${count(sum(data.skipped))}`;
  }

  function theme() {
    const draw = () => redraws.forEach((redraw) => redraw());
    byId('theme').addEventListener('change', (event) => { document.documentElement.dataset.theme = event.target.value; draw(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    let width = innerWidth;
    addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; requestAnimationFrame(draw); } });
  }

  overview();
  overTime();
  kinds();
  signatures();
  costs();
  filters();
  failuresTable();
  timelineKeys();
  filter();
  measure();
  skipped();
  theme();
})();
