const spin = () => { let n = 0; for (let i = 0; i < 4e5; i++) n += i; return n; };
const clocks = {
  date: () => Date.now(), made: () => new Date().getTime(), sub: () => new (class extends Date {})().getTime(), text: () => Date(), own: () => Reflect.construct(Date, [], Object).constructor === Object ? 0 : 1,
  proto: () => new (Date.prototype.constructor)().getTime(), bound: () => new (Date.bind(null))().getTime(), called: () => Date.call(new Date(0)), proxy: () => new (new Proxy(Date, {}))().getTime(),
  intl: () => new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'full', fractionalSecondDigits: undefined }).format(),
  parts: () => JSON.stringify(new Intl.DateTimeFormat('en', { minute: 'numeric', second: 'numeric', fractionalSecondDigits: 3 }).formatToParts()),
  temporal: () => Temporal.Now.instant().toString(), zoned: () => Temporal.Now.zonedDateTimeISO().toString(), other: () => Object.getPrototypeOf(Temporal.Now.instant()).constructor.Now,
  instant: () => new Date(5).toTemporalInstant?.().constructor.Now, symbol: () => new Date()[Symbol.toPrimitive]('number'),
};
const read = () => Object.fromEntries(Object.entries(clocks).map(([name, clock]) => { try { return [name, String(clock())]; } catch (error) { return [name, error.name]; } }));
const first = read();
spin();
const second = read();
const moved = Object.keys(clocks).filter((name) => first[name] !== second[name]);
const year = Object.values(first).filter((text) => /\b20(2[7-9]|[3-9]\d)\b/.test(text));
return { moved, year, escaped: moved.length > 0 || year.length > 0 || first.date !== String(Date.UTC(2026, 0, 1)) };
