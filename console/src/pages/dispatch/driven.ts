import {locale} from '../../texts/format';

/** The time that a route takes, which the API writes as “16h 39m”, in the language of the person. */
export function driven(text: string): string {
  const units = {h: 'hour', m: 'minute'} as const;
  const parts = [...text.matchAll(/(\d+)([hm])(?:\s|$)/g)].map(([, amount, unit]) =>
    new Intl.NumberFormat(locale(), {style: 'unit', unit: units[unit as keyof typeof units]}).format(Number(amount)),
  );
  return parts.join(' ') || text;
}
