import type {Schemas} from '../../api/client';
import type {Tone} from '../../parts/Chip.svelte';

type Status = Schemas['Purchase']['status'];

export const purchaseTone: Record<Status, Tone> = {
  requested: 'moving',
  buying: 'moving',
  bought: 'good',
  refused: 'quiet',
  unknown: 'bad',
  voiding: 'moving',
  voided: 'quiet',
  void_refused: 'warn',
  void_unknown: 'warn',
};

/** The outcomes that a person may decide: of a purchase both, of a void only that it is done. */
export function outcomesToDecide(status: Status): ('bought' | 'not_bought')[] {
  if (status === 'unknown') return ['bought', 'not_bought'];
  return status === 'void_unknown' || status === 'void_refused' ? ['not_bought'] : [];
}
