import type {Schemas} from '../../api/client';

type Effect = Schemas['RunEffect'];

/** A record that a run changed, with the number of its changes. */
export interface ChangedRecord {
  entityType: Effect['entityType'];
  entityId: string;
  count: number;
}

/** The effects of a run by record, in the order of the first change of each. */
export function changedRecords(effects: Effect[]): ChangedRecord[] {
  const records = new Map<string, ChangedRecord>();
  for (const {entityType, entityId} of effects) {
    const record = records.get(entityId) ?? {entityType, entityId, count: 0};
    records.set(entityId, {...record, count: record.count + 1});
  }
  return [...records.values()];
}
