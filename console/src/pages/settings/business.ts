import {api, data, type Schemas} from '../../api/client';
import {session} from '../../api/session.svelte';

/** Changes fields of the business, then reads it again: its zone and currency are used on every page. */
export async function changeBusiness(body: Schemas['BusinessUpdate']): Promise<void> {
  await api.PUT('/api/business', {body});
  session.business = await data(api.GET('/api/business/my-business'));
}
