-- The audit log has who bought and voided labels of carriers, and who resolved purchases whose outcome was not known. What
-- workers note, and labels that turn up in addition, are no changes of a person.
create trigger audit_insert after insert on purchases for each row when (new.stray_of is null)
  execute function record_audit('purchase', 'guid', '', 'shipment_id=shipmentId', 'carrier_id=carrierId',
    'service_level=serviceLevel', 'max_price=maxPrice', 'max_currency=maxPriceCurrency', 'format=format', 'status=status');
create trigger audit_change after update of status, voiding_since, resolved_at on purchases for each row
  when (new.voiding_since is not null and old.voiding_since is distinct from new.voiding_since
        or old.resolved_at is distinct from new.resolved_at)
  execute function record_audit('purchase', 'guid', '', 'status=status', 'tracking_numbers=carrierTrackingNumbers',
    'resolution=resolution', 'voided_at@voidedAt');
