'use strict';
// Draws the report from the JSON in #data. Text from sessions only ever becomes a text node: nothing here reads it as HTML.
(() => {
  const CLASSES = {
    F1: 'may pass later',
    F2: 'the agent fixes it',
    F3: 'needs another way',
    F4: 'the feature is replanned',
    F5: 'stop and ask a person',
    F6: 'decide between two sides',
  };
  const ENDINGS = {
    fixed_by_edit: 'fixed by an edit',
    fixed_by_shell: 'fixed by a command',
    by_itself: 'passed by itself',
    replaced: 'done another way',
    moved_on: 'moved on without it',
    put_aside: 'put aside',
    passed_elsewhere: 'passed in another session',
    gone: 'there no more',
    open: 'worked on to the end',
    announced: 'failed as announced',
    not_run_again: 'not run again',
    failed_again: 'failed at its last run',
    not_seen: 'run again, result not seen',
  };
  const BROKEN = ['put_aside', 'open'];
  const WASTE = {
    usage: ['usage error', 'usage errors'],
    unchanged_retry: ['retry with nothing changed', 'retries with nothing changed'],
    loop: ['loop', 'loops'],
    dead_host: ['host that did not answer', 'hosts that did not answer'],
    cancelled_sibling: ['failure that cancelled calls', 'failures that cancelled calls'],
    met_before: ['other repeated failure', 'other repeated failures'],
  };
  const OUTCOMES = { failed: 'failed', masked_failure: 'hidden by exit status 0' };
  const NEXT = { ...OUTCOMES, succeeded: 'passed', benign_non_zero: 'answered', denied: 'refused', cascade: 'cancelled', interrupted: 'stopped' };
  const DAY = 86400;
  const WEEK = 7 * DAY;
  const data = unpacked(JSON.parse(byId('data').textContent));
  const { account, totals } = data;
  // Failed calls, those that hid behind an exit status of 0 included.
  const allFailed = totals.failed;

  // --- small things -----------------------------------------------------------------------------------------

  function byId(id) { return document.getElementById(id); }

  // The data as cli/src/report/packed.rs packed them: texts and names of fields are there once.
  function unpacked(data) {
    const texts = [];
    const known = [];
    const open = (value) => {
      if (typeof value === 'string') texts.push(value);
      if (!Array.isArray(value) || !value.length) return value;
      const [head, ...rest] = value;
      if (head === -1) return rest.map(open);
      if (!Array.isArray(head) && !rest.length) return texts[head];
      if (Array.isArray(head)) known.push(head);
      const names = Array.isArray(head) ? head : known[head];
      return Object.fromEntries(names.map((name, at) => [name, open(rest[at])]));
    };
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, open(value)]));
  }

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
  // What was written for an hour is a part of what was written.
  const total = (tokens) => tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;

  // The same figures as in the text and in Markdown: core/src/text/number.rs, core/src/time/span.rs and core/src/model/money.rs.
  function short(n) {
    if (n < 1e4) return count(n);
    if (n < 999500) return `${Math.round(n / 1e3)} k`;
    const tenths = (unit) => (Math.round(n / (unit / 10)) / 10).toFixed(1);
    return n < 999950000 ? `${tenths(1e6)} M` : `${tenths(1e9)} G`;
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

  function money(dollars) {
    if (!dollars) return '$0';
    if (dollars < 0.0005) return 'under $0.001';
    if (dollars < 0.0095) return `$${dollars.toFixed(3)}`;
    return dollars < 1000 ? `$${dollars.toFixed(2)}` : `$${count(Math.round(dollars))}`;
  }

  // Money where prices are known, else tokens, else time.
  const spentOf = (cost) => (account.all.money ? money(cost.money) : total(account.all.tokens) ? `${short(total(cost.tokens))} tokens` : duration(cost.wall_ms));
  function shareOf(cost) {
    const { all } = account;
    const of = all.money ? (it) => it.money : total(all.tokens) ? (it) => total(it.tokens) : (it) => it.wall_ms;
    return `${share(of(cost), of(all))} of ${spentOf(all)} spent`;
  }
  const byCost = (a, b) => b.money - a.money || total(b.tokens) - total(a.tokens) || b.wall_ms - a.wall_ms || b.calls - a.calls;
  const inDetail = (cost) => `${many(cost.turns, 'turn')}, ${short(total(cost.tokens))} tokens, ${duration(cost.wall_ms)}`;
  const rate = (episodes, calls) => (calls ? (episodes * 100) / calls : 0);

  const format = (options) => new Intl.DateTimeFormat('en-GB', options);
  const DATE = format({ day: 'numeric', month: 'short' });
  const FULL_DATE = format({ day: 'numeric', month: 'short', year: 'numeric' });
  const CLOCK = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const MINUTE = format({ hour: '2-digit', minute: '2-digit' });
  // Weeks are counted in UTC, as the terminal does.
  const UTC_DATE = format({ day: 'numeric', month: 'short', timeZone: 'UTC' });
  // Seconds since 1970, or NaN where the data tell no time.
  const seconds = (ts) => (ts ? Date.parse(ts) / 1000 : NaN);
  const inWords = (style, at) => style.format(new Date(at * 1000));
  const when = (at) => (Number.isNaN(at) ? 'no time' : `${inWords(DATE, at)} ${inWords(CLOCK, at)}`);
  const day = (ts) => (ts ? inWords(DATE, seconds(ts)) : 'no time');
  const ending = ({ ended, last_run: run }) => [ended, run].filter(Boolean).map((word) => ENDINGS[word] || word).join(', ');
  const words = (category) => (category || '').replaceAll('_', ' ').replace('vcs', 'version control');
  const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
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

  function table(headings, rows) {
    const head = headings.map(([text, style]) => (text ? el('th', { scope: 'col', class: style || null }, text) : el('td')));
    return el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows));
  }

  const empty = (text) => el('p', { class: 'empty' }, text);
  const button = (text, onclick) => el('button', { type: 'button', class: 'plain', onclick }, text);
  const redraws = [];

  // A button that puts a text into the clipboard, and says so.
  function copier(name, text) {
    const copy = button(name, async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const area = document.body.appendChild(el('textarea', { class: 'unseen', 'aria-hidden': 'true' }));
        area.value = text;
        area.select();
        document.execCommand('copy');
        area.remove();
      }
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = name; }, 1500);
    });
    return copy;
  }

  const MARK = '#at?';
  // Where these filters alone are set, and the calls that they leave are in sight.
  const addressOf = (filters) => MARK + new URLSearchParams(filters);
  const link = (filters, ...children) => el('a', { href: addressOf(filters) }, ...children);

  // Text in which what stands between backticks is code.
  const withCode = (text) => text.split('`').map((part, number) => (number % 2 ? el('code', {}, part) : part));

  // --- the data, made ready once -----------------------------------------------------------------------------

  const sessions = new Map(data.sessions.map((session) => [session.id, session]));
  // An episode's id is its own in its session only.
  const episodeKey = (session, id) => `${session} ${id}`;
  const episodes = new Map(data.episodes.map((episode) => [episodeKey(episode.session, episode.id), episode]));
  const episodeOf = (failure) => episodes.get(episodeKey(failure.session, failure.episode));
  // What failed calls printed, and what came after each: of as many as fit the page.
  const callKey = ({ node, tool_use_id: id }) => `${node} ${id}`;
  const outputs = new Map(data.calls.map((call) => [callKey(call), call]));
  const callsIn = ({ session, id }) => ofEpisode.get(episodeKey(session, id)) || [];
  const isBroken = (item) => BROKEN.includes(item.ended);
  // The changes that a call is evidence of.
  const changesOf = new Map();
  for (const { id, calls } of data.changes) for (const call of calls) changesOf.set(call, [...(changesOf.get(call) || []), id]);
  const partsOf = (failure) => [...((episodeOf(failure) || {}).parts || []), ...(changesOf.get(failure.tool_use_id) || [])];
  const clients = new Map(data.hosts.map((client) => [client.host, client]));
  const clientOf = (item) => clients.get((sessions.get(item.session) || {}).host || 'claude') || {};
  const projectOf = (item) => (sessions.get(item.session) || {}).project || 'no project';
  // The Monday of a moment, counted in UTC.
  const weekOf = (at) => (Number.isNaN(at) ? '' : new Date((Math.floor((at - 4 * DAY) / WEEK) * WEEK + 4 * DAY) * 1000).toISOString().slice(0, 10));
  const failures = data.failures.map((failure, number) => {
    const at = seconds(failure.ts);
    return { ...failure, number, at, ended: (episodeOf(failure) || {}).ended, last_run: (episodeOf(failure) || {}).last_run, client: clientOf(failure).title, project: projectOf(failure), week: weekOf(at), part: partsOf(failure) };
  });
  failures.sort((a, b) => (a.at || 0) - (b.at || 0) || a.number - b.number);
  const grouped = (key) => {
    const groups = new Map();
    for (const failure of failures) groups.set(key(failure), [...(groups.get(key(failure)) || []), failure]);
    return groups;
  };
  const ofEpisode = grouped(({ session, episode }) => episodeKey(session, episode));
  const ofSignature = grouped(({ signature }) => signature.fine);

  function sessionName(session) {
    const start = session.started ? when(seconds(session.started)).slice(0, -3) : '';
    return `${session.project || 'no project'} ${start} (${count(session.failed)})`;
  }

  // --- what it cost -----------------------------------------------------------------------------------------

  function scope() {
    const from = data.generated_from;
    const span = [from.first_ts, from.last_ts].filter(Boolean).map((ts) => inWords(FULL_DATE, seconds(ts)));
    const days = [...new Set(span)].join(' to ');
    const projects = new Set(data.sessions.map((session) => session.project).filter(Boolean)).size;
    if (totals.calls) byId('scope').textContent = [many(from.sessions, 'session'), projects > 1 && many(projects, 'project'), many(totals.calls, 'call'), days].filter(Boolean).join(' · ');
    byId('zone').textContent = `Times are local (${Intl.DateTimeFormat().resolvedOptions().timeZone}); weeks begin on Monday in UTC.`;
    if (allFailed) return true;
    byId('nothing').textContent = totals.calls ? `Nothing failed in ${many(totals.calls, 'call')}.` : 'No call of an agent was found: `failwise report PATH` reads other folders, and `--since 365d` looks further back.';
    byId('nothing').hidden = false;
    for (const part of document.querySelectorAll('#sections, #main > section')) part.hidden = true;
    return false;
  }

  const wasteWords = (kind) => WASTE[kind] || [words(kind)];

  function costs() {
    const { waste, development } = account;
    const figure = (title, part, note) => [el('h3', {}, title), el('p', { class: 'figure' }, part), el('p', { class: 'note' }, note)];
    byId('waste').append(...figure('Waste', link({ part: 'waste' }, spentOf(waste)), `${shareOf(waste)} · ${duration(waste.wall_ms)} · ${rate(waste.episodes, account.all.calls).toFixed(1)} wasteful failures per 100 calls`));
    const kinds = Object.entries(account.kinds).sort(([, a], [, b]) => byCost(a, b));
    byId('waste').append(el('ul', { class: 'kinds' }, ...kinds.map(([kind, part]) => el('li', {}, link({ part: kind }, many(part.episodes, ...wasteWords(kind))), `: ${spentOf(part)}`))));
    const hidden = totals.masked ? [' ', link({ outcome: 'masked_failure' }, many(totals.masked, 'failure')), ' hid behind an exit status of 0.'] : [];
    byId('development').append(
      ...figure('Development loops', link({ part: 'development' }, spentOf(development)), `${shareOf(development)} · ${duration(development.wall_ms)}`),
      el('p', { class: 'note' }, account.to_green_ms === null ? 'No check went from red to green.'
        : `${many(development.episodes, 'check')} failed ${many(account.rounds, 'time')} and became green, half of them within ${duration(account.to_green_ms)}.`),
      el('p', { class: 'note' }, link({}, `${count(allFailed)} of ${many(totals.calls, 'call')} failed`), ` (${share(allFailed, totals.calls)}).`, ...hidden),
    );
    trend();
    beforeAndAfter();
  }

  const EFFECTS = { fewer: 'fewer failures', more: 'more failures', no_difference_shown: 'no difference shown', too_few: 'too few sessions or failures to tell' };

  // The time before a moment beside that after it, where it was asked for.
  function beforeAndAfter() {
    const { comparison } = data;
    if (!comparison) return;
    const percent = (part) => (part === null ? '' : (part * 100).toFixed(2));
    const within = ({ share, low, high }) => (share === null ? 'no call' : `${percent(share)} [${percent(low)} to ${percent(high)}]`);
    const rows = [['Before', comparison.before], ['After', comparison.after]].map(([name, side]) => el('tr', {}, el('th', { scope: 'row' }, name), ...[
      count(side.failed.sessions), count(side.failed.all), within(side.failed), within(side.wasted), spentOf(side.waste),
    ].map((cell, column) => el('td', { class: column < 2 ? 'num wide' : 'num' }, cell))));
    const said = [['Failed calls', comparison.failed], ['waste', comparison.wasted]].map(([name, word]) => `${name}: ${EFFECTS[word] || words(word)}`).join('; ');
    const across = comparison.across ? ` ${many(comparison.across, 'session')} went on across that moment and ${comparison.across === 1 ? 'is' : 'are'} on neither side.` : '';
    byId('compared').append(el('h3', {}, `Before and after ${inWords(FULL_DATE, seconds(comparison.at))}`),
      el('div', { class: 'scroll numbers', tabindex: '0', role: 'region', 'aria-label': 'Before and after' }, table([['', ''], ['Sessions', 'num wide'], ['Calls', 'num wide'], ['Failed per 100 calls', 'num'], ['Waste per 100 calls', 'num'], ['Its cost', 'num']], rows)),
      el('p', { class: 'note' }, `${said}. In brackets the Wilson interval at 95 %, as wide as sessions differ.${across}`));
  }

  // The most weeks that are drawn, and the calls under which a week says little: it is drawn pale.
  const WEEKS = 26;
  const FEW = 200;
  const ON_PHONE = 8;

  function trend() {
    const weeks = account.weeks.slice(-WEEKS);
    if (weeks.length < 2) return;
    const rates = weeks.map((week) => rate(week.waste.episodes, week.calls));
    const most = Math.max(...rates, 0.1);
    // Weeks without a session are left out, and said by a gap.
    const begins = (week) => seconds(`${week.week}T00:00:00Z`);
    // A phone has room for the last of those that say something.
    const telling = weeks.filter((week) => week.calls >= FEW);
    const onPhone = new Set((telling.length < 2 ? weeks : telling).slice(-ON_PHONE));
    const mostOnPhone = Math.max(...weeks.map((week, number) => (onPhone.has(week) ? rates[number] : 0)), 0.1);
    const gap = (number) => (number && begins(weeks[number]) - begins(weeks[number - 1]) > WEEK ? 'gap' : '');
    const bars = weeks.map((week, number) => {
      const name = inWords(UTC_DATE, begins(week));
      const said = `Week of ${name}: ${rates[number].toFixed(1)} wasteful failures per 100 calls of ${count(week.calls)}, ${spentOf(week.waste)}`;
      return el('li', { class: `${gap(number)} ${week.calls < FEW ? 'few' : ''} ${onPhone.has(week) ? '' : 'wide'}` }, el('a', { href: addressOf({ week: week.week }), title: said },
        el('span', { class: 'value' }, rates[number].toFixed(1), el('span', { class: 'unseen' }, ' wasteful failures per 100 calls in the week of ')), el('span', { class: 'column', '--share': `${(100 * rates[number]) / most}%`, '--own': `${(100 * rates[number]) / mostOnPhone}%` }), el('span', { class: 'under' }, name)));
    });
    const rows = weeks.map((week, number) => el('tr', {}, el('th', { scope: 'row' }, week.week), ...[
      count(week.calls), count(week.waste.episodes), rates[number].toFixed(1), spentOf(week.waste), count(week.development.episodes), spentOf(week.development),
    ].map((cell, column) => el('td', { class: column > 3 ? 'num wide' : 'num' }, cell))));
    const numbers = table([['Week'], ['Calls', 'num'], ['Waste', 'num'], ['per 100 calls', 'num'], ['cost', 'num'], ['Loops', 'num wide'], ['cost', 'num wide']], rows);
    byId('trend').append(el('h3', {}, 'Wasteful failures per 100 calls, by week', el('span', { class: 'quiet narrow' }, onPhone.size < weeks.length ? ` (the last ${onPhone.size}${telling.length < 2 ? '' : ` with ${FEW} calls`})` : ''), weeks.some((week) => week.calls < FEW) ? el('span', { class: 'quiet wide' }, ` (pale: fewer than ${FEW} calls)`) : null), el('ol', { class: 'columns' }, ...bars),
      el('details', { class: 'numbers' }, el('summary', {}, 'The same as a table'), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Weeks as a table' }, numbers)));
  }

  // --- what to change, what is broken, what returns, what was dear --------------------------------------------

  const ACTS = { line: `a line for ${[...new Set(data.hosts.map((client) => client.instructions))].join(', ')}`, rule: 'a permission rule', person: 'for a person to do', correction: 'for a person to correct by hand' };

  function changes() {
    const place = byId('change-list');
    if (data.team) place.append(el('ul', { class: 'changes' }, ...data.team.slice(0, 3).map(({ id, line }) => el('li', {},
      el('p', { class: 'change' }, ...withCode(line), '.'),
      el('p', { class: 'quiet' }, 'It costs the team. ', el('code', {}, `failwise kb show ${id}`))))));
    if (!data.changes.length) return place.append(empty('No waste that one line, rule or person would end was met in two sessions of a project.'));
    const known = new Set(failures.flatMap(({ part }) => part));
    place.append(el('ol', { class: 'changes' }, ...data.changes.map(({ id, act, adopt, line, evidence }) => el('li', {},
      el('p', { class: 'change' }, ...withCode(line), '.'),
      el('p', { class: 'quiet' }, known.has(id) ? link({ part: id }, evidence) : evidence, `; ${ACTS[act] || act}. `, el('code', {}, `failwise show ${id}`)),
      copier(act === 'rule' ? 'Copy the rule' : 'Copy the line', adopt)))));
    place.append(el('p', { class: 'quiet' }, 'All of them: ', el('code', {}, 'failwise lessons'), '; adopted by ', el('code', {}, 'failwise lessons --write'), '.'));
  }

  const LISTED = 8;

  // The rows that can be opened: each by its name in the address, with what lists it where it is behind a button.
  const rows = new Map();

  // The first of some items, and the others behind a button.
  function list(place, items, row, nothing) {
    const box = byId(place);
    if (!items.length) return box.append(empty(nothing));
    const named = (item) => `${place.split('-')[0]}.${(item.signature && item.id ? `${item.id}.${item.session}` : item.signature).slice(0, 20)}`;
    const made = (item) => {
      const node = row(item);
      node.addEventListener('toggle', () => remember());
      rows.set(named(item), () => node);
      return node;
    };
    box.append(...items.slice(0, LISTED).map(made));
    const rest = items.slice(LISTED, 200);
    if (!rest.length) return;
    const all = button(`Show ${count(rest.length)} more`, () => all.replaceWith(...rest.map(made)));
    for (const item of rest) rows.set(named(item), (shown) => { if (shown) all.click(); return shown ? rows.get(named(item))() : null; });
    box.append(all, printed(`${LISTED} of ${count(items.length)}; the page on a screen shows the others.`));
  }

  // What only paper has to say.
  const printed = (text) => el('p', { class: 'quiet printed' }, text);

  const openRows = () => [...rows].filter(([, row]) => (row() || {}).open).map(([name]) => name);

  // A line that opens: a name with a second line, up to three figures with their words, and what is inside.
  function foldable(broken, name, second, figures, inside) {
    const cells = figures.map(([figure, word], index) => el('span', { class: `figures ${index ? 'wide' : ''}` }, figure, el('small', {}, word)));
    const title = el('span', { class: 'name' }, dot(broken), el('span', {}, el('span', { class: 'what clamp' }, name), el('span', { class: 'second' }, ...[].concat(second))));
    const row = el('details', { class: 'row' }, el('summary', {}, title, ...cells));
    row.addEventListener('toggle', () => { if (row.open && row.childElementCount === 1) row.append(el('div', { class: 'inside' }, ...inside().filter(Boolean))); });
    return row;
  }

  const dot = (broken) => el('span', { class: `dot ${broken ? 'broken' : 'ended'}`, 'aria-hidden': 'true' });

  function episodeRow(episode) {
    const hidden = episode.masked ? ', hidden' : '';
    return foldable(isBroken(episode), callOf(episode),
      `${projectOf(episode)}, ${day(episode.first_ts)}: ${words(episode.category)}${hidden}, ${many(episode.attempts, 'attempt')}, ${ending(episode)}`,
      [[spentOf(episode.booked), 'cost'], [duration(episode.booked.wall_ms), 'time'], [count(episode.booked.turns), 'turns']],
      () => [
        episode.excerpt ? el('p', { class: 'what' }, episode.excerpt) : null, el('p', {}, inDetail(episode.booked)),
        episode.end ? el('p', {}, episode.ended === 'put_aside' ? 'Put aside at ' : 'It ended with ', el('code', {}, cut(episode.end.call, 300))) : null,
        ...(episode.advice || []).map((said) => el('p', {}, el('span', { class: 'tag' }, 'Failwise would have told the agent'), ' ', said.text)),
        link({ session: episode.session, query: episode.id }, 'Its calls'),
      ]);
  }

  // One check of a project is one row, whatever its output was piped to: that of its last run.
  function open() {
    const checks = data.episodes.filter(({ parts }) => parts.includes('open')).sort((a, b) => seconds(b.last_ts) - seconds(a.last_ts));
    if (checks.length) byId('open-title').append(`: ${many(checks.length, 'check')}`);
    list('open-list', checks, episodeRow, 'Every check that failed passed in the end.');
  }

  const TWO_WEEKS = 14 * DAY;
  const last = seconds(data.generated_from.last_ts);

  // What a failure is at the end of the data, from the moments in which it was met.
  function standing(moments) {
    const recent = moments.filter((at) => at > last - TWO_WEEKS);
    if (!recent.length) return 'quiet';
    const before = moments.filter((at) => at <= last - TWO_WEEKS);
    if (!before.length) return 'new';
    const gaps = moments.map((at, index) => (index ? at - moments[index - 1] : 0));
    return Math.max(...gaps.slice(before.length)) >= TWO_WEEKS ? `back after ${Math.floor(Math.max(...gaps.slice(before.length)) / WEEK)} quiet weeks` : 'ongoing';
  }

  function returns() {
    const { fixes = {} } = data;
    const bySignature = new Map();
    for (const episode of data.episodes) {
      const its = bySignature.get(episode.signature);
      if (its) its.push(episode);
      else bySignature.set(episode.signature, [episode]);
    }
    const returning = data.signatures.filter((signature) => signature.sessions > 1).sort((a, b) => b.sessions - a.sessions || byCost(a, b));
    list('return-list', returning, (signature) => {
      const its = bySignature.get(signature.signature) || [];
      const projects = [...new Set(its.map(projectOf))];
      const state = standing(its.map((episode) => seconds(episode.first_ts)).filter((at) => !Number.isNaN(at)).sort((a, b) => a - b));
      const calls = ofSignature.get(signature.signature) || [];
      // As it was typed, with what was put before the program: that may be what fails.
      const typed = calls.length ? callOf(calls[calls.length - 1]) : signature.operation;
      return foldable(signature.unresolved > 0, signature.excerpt || typed,
        [el('code', {}, cut(typed, 120)), ` ${cut(projects.join(', '), 60)}: ${words(signature.category)}, ${day(signature.first_ts)} to ${day(signature.last_ts)}, ${state}${fixes[signature.signature] ? `; it has a fix: ${cut(fixes[signature.signature], 100)}` : ''}`],
        [[spentOf(signature), 'cost'], [count(signature.sessions), 'sessions'], [count(signature.failures), 'failures']],
        () => [fixes[signature.signature] ? el('p', {}, 'What worked before: ', fixes[signature.signature], '. ', el('code', {}, `failwise kb show ${signature.signature.slice(0, 8)}`)) : null, ...its.slice(-20).reverse().map(episodeLine), link({ query: signature.signature }, its.length > 20 ? 'All its calls' : 'Its calls')]);
    }, 'No failure was met in two sessions.');
  }

  function episodeLine(episode) {
    const [first] = callsIn(episode);
    const time = when(seconds(episode.first_ts));
    return el('p', {}, first ? el('a', { href: addressOf({ call: first.tool_use_id || '' }), onclick: (event) => { event.preventDefault(); openDetail(first); } }, time) : time, ` ${projectOf(episode)}: `,
      first ? el('code', {}, cut(callOf(first), 120)) : null, `, ${many(episode.attempts, 'attempt')}, ${ending(episode)}, ${inDetail(episode)}`);
  }

  function dear() {
    list('dear-list', [...data.episodes].sort((a, b) => byCost(a.booked, b.booked)), episodeRow, 'There was no failure to work on.');
  }

  // --- filter -----------------------------------------------------------------------------------------------

  const FILTERS = ['project', 'client', 'session', 'tool', 'model', 'category', 'outcome', 'week', 'part'];
  let found = failures;

  function filters() {
    const option = (value, text) => el('option', { value }, text);
    const options = (id, rest) => byId(id).append(option('', 'all'), ...rest);
    const values = (key) => [...new Set(failures.map((failure) => failure[key]).filter(Boolean))].sort();
    options('project', values('project').map((name) => option(name, cut(name, 60))));
    options('client', values('client').map((name) => option(name, name)));
    byId('client').parentElement.hidden = clients.size < 2;
    options('session', [...sessions.values()].filter((session) => session.failed).map((session) => option(session.id, sessionName(session))));
    options('tool', values('tool').map((name) => option(name, name)));
    options('model', values('model').map((name) => option(name, cut(name, 60))));
    options('category', values('category').map((name) => option(name, words(name))));
    options('outcome', values('outcome').map((name) => option(name, OUTCOMES[name] || words(name))));
    options('week', values('week').reverse().map((name) => option(name, name)));
    const known = new Set(failures.flatMap(({ part }) => part));
    const parts = [['waste', 'all waste'], ...Object.keys(account.kinds).map((kind) => [kind, wasteWords(kind).at(-1)]), ['development', 'development loops'], ['open', 'checks not seen to pass'],
      ...data.changes.map(({ id, line }) => [id, `change: ${cut(line.replaceAll('`', ''), 60)}`])];
    options('part', parts.filter(([value]) => known.has(value)).map(([value, text]) => option(value, text)));
    const form = byId('filters');
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', filter);
    form.addEventListener('reset', () => setTimeout(filter));
  }

  // What a search looks through, made at the first search.
  function haystack(failure) {
    failure.haystack ??= [failure.tool, failure.input, failure.excerpt, failure.category, failure.class, failure.signature.fine, (episodeOf(failure) || {}).signature, failure.episode, failure.session].join('\n').toLowerCase();
    return failure.haystack;
  }

  function filter() {
    const set = FILTERS.map((key) => [key, byId(key).value]).filter(([, value]) => value);
    const terms = byId('query').value.toLowerCase().split(/\s+/).filter(Boolean);
    found = failures.filter((failure) => set.every(([key, value]) => [].concat(failure[key]).includes(value)) && terms.every((term) => haystack(failure).includes(term)));
    kinds();
    sort();
    const { value: session } = byId('session');
    timelineOf(session || (sessions.size === 1 ? [...sessions.keys()][0] : ''));
    remember();
  }

  // --- kinds of error ---------------------------------------------------------------------------------------

  // Bars of the calls that the filters leave; one is a filter itself. What is under one in a hundred is one row.
  function kinds() {
    const counts = new Map();
    for (const failure of found) {
      const of = counts.get(failure.category) || { all: 0, broken: 0 };
      counts.set(failure.category, { all: of.all + 1, broken: of.broken + (isBroken(failure) ? 1 : 0) });
    }
    const sorted = [...counts].sort(([a, n], [b, m]) => m.all - n.all || (a < b ? -1 : 1));
    const small = sorted.filter(([, n]) => n.all * 100 < found.length);
    const other = small.reduce((sum, [, n]) => ({ all: sum.all + n.all, broken: sum.broken + n.broken }), { all: 0, broken: 0 });
    const most = sorted.length ? sorted[0][1].all : 1;
    const part = (n, kind) => el('span', { class: kind, '--share': `${(100 * n) / most}%` });
    const row = (name, { all, broken }, choose) => el('tr', {},
      el('th', { scope: 'row' }, choose ? button(words(name), choose) : name),
      el('td', { class: 'meter', 'aria-hidden': 'true' }, part(all - broken, 'ended'), part(broken, 'broken')),
      el('td', { class: 'num' }, count(all)), el('td', { class: 'num wide' }, count(broken)));
    const rows = sorted.slice(0, sorted.length - small.length).map(([name, n]) => row(name, n, () => { byId('category').value = name; filter(); }));
    if (other.all) rows.push(row(small.length === 1 ? words(small[0][0]) : `${small.length} others`, other, null));
    const bars = table([['Category'], [''], ['Failed', 'num'], ['Never passed', 'num wide']], rows);
    bars.className = 'bars';
    byId('kinds').replaceChildren(found.length ? bars : empty('No failed call fits the filter.'));
  }

  const inLocalTime = (at) => new Date(at * 1000);

  function axis() {
    return { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1, size: 4 }, font: '12px system-ui, sans-serif' };
  }

  function timeAxis() {
    const label = (at, step) => {
      if (step >= DAY || inWords(MINUTE, at) === '00:00') return inWords(DATE, at);
      return inWords(step >= 60 ? MINUTE : CLOCK, at);
    };
    return { ...axis(), space: 70, size: 32, values: (_, at, __, ___, step) => at.map((second) => label(second, step)) };
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
      from: seconds(episode.first_ts), to: seconds(episode.ended_ts || episode.last_ts), lane: index.get(lane(episode)), broken: isBroken(episode),
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
      return place.append(empty('No failed call fits the filter.'));
    }
    const ends = [...timeline.items.map((item) => item.at), ...timeline.bars.flatMap((bar) => [bar.from, bar.to])].filter((at) => !Number.isNaN(at));
    const first = ends.reduce((a, b) => Math.min(a, b));
    const last = ends.reduce((a, b) => Math.max(a, b));
    const edge = Math.max(2, (last - first) * 0.03);
    timeline.full = [first - edge, last + edge];
    const narrow = place.clientWidth < 520;
    const [left, right] = timeline.full;
    timeline.chart = new uPlot({
      width: place.clientWidth, height: 48 + LANE * timeline.lanes.length, tzDate: inLocalTime, legend: { show: false },
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
    const [text, card, ended, broken] = ['--text', '--card', '--ended', '--broken'].map(colour);
    const x = (at) => chart.valToPos(at, 'x', true);
    const y = (lane) => chart.valToPos(lane, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const bar of timeline.bars) {
      const from = x(bar.from);
      ctx.fillStyle = bar.broken ? broken : ended;
      ctx.fillRect(from, y(bar.lane) + (1 + 5 * bar.row) * ratio, Math.max(2 * ratio, x(bar.to) - from), 3 * ratio);
    }
    // Of dots that would cover one another exactly, one is drawn.
    const covered = new Set();
    timeline.items.forEach((item, index) => {
      const place = Math.round(x(item.at));
      if (place < bbox.left - 10 || place > bbox.left + bbox.width + 10) return;
      const hidden = item.failure.outcome === 'masked_failure';
      const own = isBroken(item.failure) ? broken : ended;
      const look = (place * LANES + item.lane) * 4 + (own === broken ? 2 : 0) + (hidden ? 1 : 0);
      if (covered.has(look) && index !== timeline.current) return;
      covered.add(look);
      ctx.beginPath();
      ctx.arc(place, y(item.lane) - RAISED * ratio, 5 * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = hidden ? card : own;
      ctx.strokeStyle = own;
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
    ['Project', 'project wide', (failure) => failure.project],
    ...(clients.size > 1 ? [['Client', 'client wide', (failure) => failure.client]] : []),
    ['Category', 'kind wide', (failure) => failure.category],
    ['Call', 'call', callOf],
    ['Error', 'error wide', (failure) => failure.excerpt || ''],
    ['How it ended', 'end wide', (failure) => ending(failure)],
  ];
  const BEYOND = 8;
  const grid = { by: 0, down: true, current: 0, first: -1, height: 34, columns: COLUMNS.length };

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
    remember();
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
    if (!grid.rows.length) grid.body.replaceChildren(el('tr', {}, el('td', { class: 'empty', colspan: grid.columns }, 'No failed call fits the filter.')));
    if (focused) focusRow(grid.current);
  }

  // Learns the height that the style gives a row here. For a moment there is no other row, so the place is set again.
  function measure() {
    const box = byId('failures');
    const top = box.scrollTop;
    // A row that spans more columns than are shown would widen the table by empty ones.
    grid.columns = grid.heads.filter((head) => head.offsetWidth).length;
    const probe = el('tr', { class: 'item' }, el('td', {}, 'x'));
    grid.body.replaceChildren(probe);
    grid.height = probe.getBoundingClientRect().height || grid.height;
    drawRows(true);
    box.scrollTop = top;
  }

  const gap = (rows) => el('tr', { class: 'gap', 'aria-hidden': 'true' }, el('td', { colspan: grid.columns, '--gap': `${rows * grid.height}px` }));

  function rowOf(failure, index, reachable) {
    const open = el('button', { type: 'button', class: 'open', tabindex: index === reachable ? '0' : '-1', 'data-row': index, onclick: () => openDetail(failure) }, when(failure.at));
    const hidden = failure.outcome === 'masked_failure' ? el('span', { class: 'tag' }, 'hidden') : null;
    const cells = [
      [dot(isBroken(failure)), ' ', open], [failure.project], ...(clients.size > 1 ? [[failure.client]] : []), [words(failure.category)],
      [el('span', { class: 'text' }, hidden, hidden ? ' ' : null, el('span', { class: 'what' }, callOf(failure)))], [failure.excerpt || ''], [ending(failure)],
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

  let opened = null;

  function openDetail(failure) {
    const session = sessions.get(failure.session) || {};
    const episode = episodeOf(failure);
    const linked = outputs.get(callKey(failure));
    // Where nothing of the call is kept here, the data have the later failures and the call that ended the episode.
    const later = linked ? linked.next.map(([ts, tool, input, outcome]) => [seconds(ts), `${NEXT[outcome] || words(outcome)}: `, callOf({ tool, input })])
      : failures.filter((it) => it.session === failure.session && it.at > failure.at).map((it) => [it.at, `failed${it.episode === failure.episode ? ' again' : ''}: `, callOf(it)]);
    const end = episode && episode.ended_ts && episode.end && [seconds(episode.ended_ts), `${ending(episode)}: `, callOf({ tool: episode.end.tool, input: episode.end.call })];
    const told = end && !later.some(([at, , call]) => at === end[0] && call === end[2]) ? [...later, end] : later;
    const next = told.sort(([a], [b]) => a - b).slice(0, 6);
    const output = linked ? linked.output.join('\n') || 'It printed nothing.' : data.calls.length ? `Left out of a page of this size: failwise show ${failure.episode}` : '';
    const fields = [
      ['When', when(failure.at)],
      ['Call', el('pre', {}, failure.input || failure.operation || '')],
      ['Error', el('pre', {}, failure.excerpt || '')],
      ['Output', el('pre', { class: 'output', tabindex: '0', role: 'region', 'aria-label': 'Output' }, output)],
      ['Outcome', `${OUTCOMES[failure.outcome] || words(failure.outcome)}: ${words(failure.category)}`],
      ['What came next', next.length ? el('ul', {}, ...next.map(([at, what, call]) => el('li', {}, `${when(at)} ${what}`, el('code', {}, cut(call, 200))))) : ''],
      ['How it ended', episode ? [`${ending(episode)} after ${many(episode.attempts, 'attempt')}: ${spentOf(episode.booked)}, ${inDetail(episode.booked)}`, ...(episode.end ? [el('pre', {}, episode.end.call)] : [])] : ''],
      ...((episode && episode.advice) || []).map((said) => ['Failwise would have told the agent', said.text]),
      ['Session', [session.project, failure.client, failure.session].filter(Boolean).join(', ')],
      ['Model', failure.model || ''],
      ['Class', `${failure.class} ${CLASSES[failure.class] || ''}`],
      ['Rule', `${failure.rule}, attempt ${count(failure.attempt)}`],
      ['Signature', failure.signature.fine],
      ['Where', `${failure.file} line ${failure.line}`],
    ];
    byId('detail-title').textContent = `${failure.tool || 'Call'} failed`;
    byId('detail-fields').replaceChildren(...fields.filter(([, value]) => value && value.textContent !== '')
      .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, ...[].concat(value))]));
    byId('detail-acts').replaceChildren(copier('Copy the call', failure.input || failure.operation || ''),
      copier('Copy the resume command', (clientOf(failure).resume || '').replace('{}', failure.session)), copier('Copy the show command', `failwise show ${failure.episode}`));
    opened = failure;
    if (!byId('detail').open) byId('detail').showModal();
    remember(true);
  }

  // --- the address ------------------------------------------------------------------------------------------

  // Until all is drawn, and while a link is followed, nothing changes the address.
  let restoring = true;

  // Filters, order, open rows and the open call stand in the address, so that a link and the way back show the same.
  function remember(anew = false) {
    if (restoring) return;
    const set = new URLSearchParams();
    for (const id of [...FILTERS, 'query']) if (byId(id).value) set.set(id, byId(id).value);
    if (grid.by || !grid.down) set.set('sort', `${grid.down ? '-' : ''}${grid.by}`);
    if (openRows().length) set.set('rows', openRows().join(' '));
    if (opened) set.set('call', opened.tool_use_id || '');
    const text = set.toString();
    if (location.hash === MARK + text || !text && !location.hash.startsWith(MARK)) return;
    history[anew ? 'pushState' : 'replaceState']({ anew }, '', text ? MARK + text : location.pathname);
  }

  // A dialog that was opened here is left by the way back, one of a link is only closed.
  function closed() {
    if (!opened) return;
    opened = null;
    if (history.state && history.state.anew) history.back();
    else remember();
  }

  function restore() {
    if (location.hash && !location.hash.startsWith(MARK)) return;
    restoring = true;
    const set = new URLSearchParams(location.hash.slice(MARK.length));
    for (const id of [...FILTERS, 'query']) byId(id).value = set.get(id) || '';
    const column = Number((set.get('sort') || '').replace('-', ''));
    Object.assign(grid, column in COLUMNS ? { by: column, down: !set.has('sort') || set.get('sort').startsWith('-') } : { by: 0, down: true });
    filter();
    const wanted = (set.get('rows') || '').split(' ');
    for (const [name, row] of [...rows]) {
      const node = row(wanted.includes(name));
      if (node) node.open = wanted.includes(name);
    }
    const call = failures.find((failure) => failure.tool_use_id && failure.tool_use_id === set.get('call'));
    opened = null;
    if (call) openDetail(call);
    else byId('detail').close();
    restoring = false;
    if ([...FILTERS, 'query'].some((id) => set.get(id))) byId('failures-title').scrollIntoView();
    else if (location.hash === MARK) byId('explore').scrollIntoView();
    else if (!call && rows.has(wanted[0])) rows.get(wanted[0])().scrollIntoView({ block: 'nearest' });
  }

  // --- meaning, theme, start --------------------------------------------------------------------------------

  function skipped() {
    const rows = Object.entries(data.skipped).filter(([, n]) => n).map(([reason, n]) => el('tr', {}, el('th', { scope: 'row' }, reason), el('td', { class: 'num' }, count(n))));
    byId('skipped').append(rows.length ? table([['Reason'], ['Lines', 'num']], rows) : empty('Every line was read.'));
    const left = Object.entries(data.left_out).map(([list, n]) => `${words(list)}: ${count(n)}`).join(', ');
    if (left) byId('skipped').append(el('p', {}, `Counted in the sums, but not listed, as their files are gone or the lists are full: ${left}.`));
    const all = Object.values(data.skipped).reduce((sum, n) => sum + n, 0);
    byId('left-out').querySelector('summary').textContent = `Lines that were left out: ${count(all)}`;
  }

  function theme() {
    const draw = () => redraws.forEach((redraw) => redraw());
    byId('theme').addEventListener('change', (event) => { document.documentElement.dataset.theme = event.target.value; draw(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    let width = innerWidth;
    addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; requestAnimationFrame(draw); } });
  }

  theme();
  if (!scope()) return;
  costs();
  changes();
  open();
  returns();
  dear();
  filters();
  failuresTable();
  timelineKeys();
  filter();
  measure();
  skipped();
  byId('detail').addEventListener('close', closed);
  addEventListener('hashchange', restore);
  restoring = false;
  if (location.hash) restore();
})();
