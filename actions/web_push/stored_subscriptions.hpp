#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "actions/web_push/web_push_sender.hpp"
#include "base/secret_box.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::actions {

/// Reads the subscriptions from the database, on a dedicated session that is opened when needed.
class StoredSubscriptions final : public SubscriptionDirectory {
 public:
  /// `contact` is the operator's address for push services: a mailto: or https: URL, or empty. `secrets` must
  /// outlive the directory.
  StoredSubscriptions(std::string database_url, const SecretBox& secrets, std::string contact)
      : database_url_(std::move(database_url)), secrets_(secrets), contact_(std::move(contact)) {}

  PushAudience find(const Guid& business, const std::optional<Guid>& user) override;
  void remove(const Guid& business, const storage::PushSubscription& subscription) override;

 private:
  template <typename Use>
  auto with_session(Use use);
  std::shared_ptr<net::VapidSigner> signer(storage::blocking::Connection& session, const Guid& business);

  const std::string database_url_;
  const SecretBox& secrets_;
  const std::string contact_;
  std::unique_ptr<storage::blocking::Connection> session_;
  std::unordered_map<Guid, std::shared_ptr<net::VapidSigner>> signers_;  // by business; cache their tokens
};

}  // namespace waybill::actions
