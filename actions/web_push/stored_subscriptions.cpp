#include "actions/web_push/stored_subscriptions.hpp"

#include "storage/settings/sealing_purposes.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_signers = 10'000;

}  // namespace

template <typename Use>
auto StoredSubscriptions::with_session(Use use) {
  try {
    if (!session_)
      session_ = std::make_unique<storage::blocking::Connection>(database_url_, "waybill push",
                                                                 storage::worker_limits);
    return use(*session_);
  } catch (const std::exception&) {
    session_.reset();
    throw;
  }
}

PushAudience StoredSubscriptions::find(const Guid& business, const std::optional<Guid>& user) {
  return with_session([&](storage::blocking::Connection& session) {
    PushAudience audience{
        storage::push_subscriptions(session, business, user, storage::max_push_subscriptions), nullptr};
    if (!audience.subscriptions.empty()) audience.signer = signer(session, business);
    return audience;
  });
}

void StoredSubscriptions::remove(const Guid& business, const storage::PushSubscription& subscription) {
  with_session([&](storage::blocking::Connection& session) {
    storage::remove_push_subscription(session, business, subscription);
  });
}

std::shared_ptr<net::VapidSigner> StoredSubscriptions::signer(storage::blocking::Connection& session,
                                                              const Guid& business) {
  const auto stored = storage::vapid_keys(session, business);
  if (!stored) return nullptr;
  auto& signer = signers_[business];
  if (!signer || signer->public_key() != stored->public_key) {
    const std::string secret = secrets_.open(stored->private_key, storage::vapid_key_purpose(business));
    auto new_signer =
        std::make_shared<net::VapidSigner>(net::VapidKeys{stored->public_key, secret}, contact_);
    if (signers_.size() > max_signers) signers_.clear();
    return signers_[business] = std::move(new_signer);
  }
  return signer;
}

}  // namespace waybill::actions
