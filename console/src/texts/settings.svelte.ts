// The choices of a person for this browser.
export const languages = ['en', 'de'] as const;
export const zones = ['business', 'local', 'utc'] as const;
export const themes = ['system', 'light', 'dark'] as const;

export type Language = (typeof languages)[number];
export type ZoneChoice = (typeof zones)[number];
export type Theme = (typeof themes)[number];

const key = 'waybill.settings';

class Settings {
  language = $state<Language>('en');
  zone = $state<ZoneChoice>('business');
  theme = $state<Theme>('system');

  constructor() {
    const kept = read();
    const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
    this.language = one(languages, kept.language) ?? languages.find((each) => spoken.includes(each)) ?? 'en';
    this.zone = one(zones, kept.zone) ?? 'business';
    this.theme = one(themes, kept.theme) ?? 'system';
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
