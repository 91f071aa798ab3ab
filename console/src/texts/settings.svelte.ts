// The choices of a person. The browser keeps them for the first paint and for one-time links; those of a user come from the
// service (api/preferences.ts).
export const languages = ['en', 'de'] as const;
export const zones = ['business', 'local', 'utc'] as const;
export const themes = ['system', 'light', 'dark'] as const;

export type Language = (typeof languages)[number];
/** One of `zones`, or the IANA name of another one. */
export type ZoneChoice = string;
export type Theme = (typeof themes)[number];

const key = 'waybill.settings';

class Settings {
  language = $state<Language>('en');
  zone = $state<ZoneChoice>('business');
  theme = $state<Theme>('system');

  constructor() {
    const kept = read();
    const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
    this.language = spoken.map((tag) => one(languages, tag)).find((each) => each !== undefined) ?? 'en';
    this.take(kept);
  }

  /** Takes the choices that are given and known. */
  take({language, zone, theme}: Record<string, unknown>): void {
    this.language = one(languages, language) ?? this.language;
    if (typeof zone === 'string') this.zone = zone;
    this.theme = one(themes, theme) ?? this.theme;
  }

  keep(): void {
    try {
      localStorage.setItem(key, JSON.stringify({language: this.language, zone: this.zone, theme: this.theme}));
    } catch {
      // A browser that keeps nothing: the choices hold until the page is closed.
    }
  }
}

function read(): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function one<T extends string>(choices: readonly T[], value: unknown): T | undefined {
  return choices.find((choice) => choice === value);
}

export const settings = new Settings();
