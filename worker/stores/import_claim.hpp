#pragma once

#include <string>
#include <string_view>

#include "base/secret_box.hpp"
#include "connectors/connector.hpp"
#include "storage/fields.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {

/// An integration whose import this worker has claimed.
struct ImportClaim {
  Guid business, integration, run;
  std::string provider, store_url, sealed_key,
      sealed_secret;  // encrypted values in hex; the secret may be empty
  bool wants_orders = false;
  bool wants_products = false;
  bool is_requested = false;  // by a user, now or at the start of the run
  std::string due_at;         // in the text form of PostgreSQL
  int failures = 0;
  ImportProgress orders, products;
};

/// Reads a row of storage/sql/imports/claim.sql.
ImportClaim claim_of(const storage::RowView& row);

/// The cause of the events of an import, in the form that a history shows.
std::string cause_of(const ImportClaim& claim, std::string_view provider_name);

/// Decrypts the credentials of the store. Throws SecretError.
connectors::StoreCredentials credentials_of(const SecretBox& secrets, const ImportClaim& claim);

}  // namespace waybill::worker
