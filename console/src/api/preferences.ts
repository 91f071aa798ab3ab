import {settings} from '../texts/settings.svelte';
import {api, data} from './client';
import {session} from './session.svelte';

const utc = 'UTC';

/** True for a user of a business. A session of a one-time link is nobody's, and a user without a business has no choices. */
function hasPreferences(): boolean {
  return Boolean(session.user?.guid && session.user.role);
}

/** Takes the choices that the user has made in any browser. */
export async function readPreferences(): Promise<void> {
  if (!hasPreferences()) return;
  const {language, zone, theme} = await data(api.GET('/api/user/settings'));
  settings.take({language, theme, zone: zone === utc ? 'utc' : (zone ?? 'business')});
  settings.keep();
}

/** Keeps the choices in this browser and, for a user, for all others. */
export async function keepPreferences(): Promise<void> {
  settings.keep();
  if (!hasPreferences()) return;
  const {language, theme} = settings;
  await api.PUT('/api/user/settings', {body: {language, theme, zone: zoneName()}});
}

/** The IANA name of the chosen zone; null is that of the business. */
function zoneName(): string | null {
  if (settings.zone === 'business') return null;
  if (settings.zone === 'utc') return utc;
  return settings.zone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : settings.zone;
}
