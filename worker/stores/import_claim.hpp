#pragma once

#include <string>
#include <string_view>

#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "storage/fields.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {

/// An integration that is this worker's to sweep.
struct ImportClaim {
  Guid business, integration, run;
  std::string provider, store_url, sealed_key, sealed_secret;  // sealed ones in hex; the secret may be empty
  bool wants_orders = false;
  bool wants_products = false;
  bool is_requested = false;  // by somebody, now or when the run began
  std::string due_at;         // as PostgreSQL wrote it
  int failures = 0;
  Reached orders, products;
};

/// A row of storage/sql/imports/claim.sql.
ImportClaim claim_of(const storage::RowView& row);

/// The cause of the events of a sweep, as a history shows it.
std::string cause_of(const ImportClaim& claim, std::string_view provider_name);

/// What its store is opened with. Throws SecretError.
connectors::StoreCredentials credentials_of(const SecretBox& secrets, const ImportClaim& claim);

}  // namespace waybill::worker
