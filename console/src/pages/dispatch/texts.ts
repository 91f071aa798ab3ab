import {fleetTexts, type FleetTexts} from '../../texts/fleet';
import {settings} from '../../texts/settings.svelte';

/** The texts of planned routes, drivers and vehicles in the language of the person. */
export const f = (): FleetTexts => fleetTexts[settings.language];
