#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/workflows/tenant.hpp"

namespace waybill::tests {

/// A business with one record of every kind, created through the API with as many fields as possible, so that
/// no object of a response is null.
///
/// The kinds: carrier, carrierContact, contact, customer, device, dispatch, driver, integration, item (of
/// the order), order, packed, carried and removable (shipments of the dispatch), preset, product, reference,
/// run, shipment, template, token, upload, user, variant, vehicle, webhook (a workflow with a secret),
/// workflow; and business, orderCreated and productDeleted (triggers).
class PreparedBusiness {
 public:
  /// Makes the records. Throws std::runtime_error when the service refuses one.
  explicit PreparedBusiness(Tenant& tenant);

  /// The guid of the prepared record.
  const std::string& guid(const std::string& kind) const { return guids_.at(kind); }

  /// The guid of a further record of the kind, on which nothing depends.
  std::string make(std::string_view kind);

  /// `text` with "$kind" replaced by the guid of the prepared record, "$new.kind" by that of a new one.
  std::string fill(std::string_view text);

  Tenant& tenant() { return tenant_; }

 private:
  std::string created(std::string_view path, std::string_view body);
  void keep(std::string_view kind) { guids_[std::string(kind)] = make(kind); }
  std::string add_reference();
  std::string upload();
  std::string connect_store();
  void prepare_goods();
  void prepare_deliveries();
  void prepare_tracks();
  void prepare_workflows();

  Tenant& tenant_;
  std::map<std::string, std::string> guids_;
  int count_ = 0;
};

}  // namespace waybill::tests
