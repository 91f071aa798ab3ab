#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {

/// An integration whose import this worker has claimed.
struct ImportClaim {
  Guid business, integration, run;  // `run` is nil if there is nothing to import
  std::string provider, store_url, sealed_key;
  std::optional<std::string> sealed_secret;
  bool wants_orders = false;
  bool wants_products = false;
  bool is_requested = false;  // by a user, now or at the start of the run
  Time due_at;
  int failures = 0;
  int products_failures = 0;
  ImportProgress orders, products;
  std::vector<ServiceRule> services;
  Time import_since;  // orders that the store created earlier are not imported
};

ImportClaim claim_of(const storage::sql::imports::Claim::Row& row);

/// The cause of the events of an import, in the form that a history shows.
std::string cause_of(const ImportClaim& claim, std::string_view provider_name);

/// Decrypts the credentials of the store. Throws SecretError.
connectors::StoreCredentials credentials_of(const SecretBox& secrets, const ImportClaim& claim);

}  // namespace waybill::worker
