import {api, data} from './client';
import {live, type Live} from './live.svelte';

/** The names of the workflows by guid; deleted ones are absent. For a component. */
export function workflowNames(): Live<Map<string, string>> {
  return live(async (signal) => {
    const query = {$select: 'workflows/guid,workflows/name'};
    const {workflows} = await data(api.GET('/api/workflows/overview', {params: {query}, signal}));
    return new Map(workflows.map(({guid, name}) => [guid, name]));
  }, 60_000);
}
