import type {Schemas} from './client';

type Parcel = Pick<Schemas['ShipmentEntry'], 'status' | 'labelStatus'>;

export type OrderStatus = Schemas['OrderEntry']['status'];
export type ShipmentStatus = Schemas['ShipmentEntry']['status'];

/** True while a carrier's label is bought, or may be: the parcel gets no second one, and cannot be cancelled. */
export function hasLabel({labelStatus}: Pick<Parcel, 'labelStatus'>): boolean {
  return ![null, 'refused', 'voided'].includes(labelStatus);
}

/** The moves that a person may make of a parcel. */
export function parcelMoves(parcel: Parcel): ShipmentStatus[] {
  return shipmentMoves[parcel.status].filter((to) => to !== 'cancelled' || !hasLabel(parcel));
}

// The moves of domain/records/state_machines.cpp; moves.test.ts compares them. The page offers no other.

export const orderMoves: Record<OrderStatus, OrderStatus[]> = {
  draft: ['pending', 'cancelled'],
  pending: ['processing', 'ready', 'shipped', 'cancelled'],
  processing: ['pending', 'ready', 'shipped', 'cancelled'],
  ready: ['processing', 'shipped', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
};

export const shipmentMoves: Record<ShipmentStatus, ShipmentStatus[]> = {
  created: ['collected', 'in_transit', 'out_for_delivery', 'delivered', 'exception', 'cancelled'],
  collected: ['in_transit', 'out_for_delivery', 'delivered', 'exception', 'returned'],
  in_transit: ['out_for_delivery', 'delivered', 'exception', 'returned'],
  out_for_delivery: ['in_transit', 'delivered', 'exception', 'returned'],
  delivered: ['returned'],
  exception: ['in_transit', 'out_for_delivery', 'delivered', 'returned', 'cancelled'],
  returned: [],
  cancelled: [],
};
