#include "storage/carriers/purchases.hpp"

#include <utility>

#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

namespace asio = boost::asio;

constexpr std::int64_t purchases_of_shard = 16;  // whose businesses have a turn
constexpr int most_tries = 3;

std::optional<std::string_view> text_or_null(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text;
}

sql::purchases::LockShipment lock_statement(const NewPurchase& wanted) {
  return {.business = wanted.business_id, .shipment = wanted.shipment_id};
}

sql::purchases::Current current_statement(const NewPurchase& wanted) {
  return {.business = wanted.business_id, .shipment = wanted.shipment_id};
}

sql::purchases::LastAttempt attempt_statement(const NewPurchase& wanted) {
  return {.business = wanted.business_id, .shipment = wanted.shipment_id};
}

/// The parameters are views of `wanted`.
sql::purchases::Request request_statement(const NewPurchase& wanted, int attempt) {
  sql::purchases::Request request{.business = wanted.business_id,
                                  .shipment = wanted.shipment_id,
                                  .purchase = domain::purchase_guid(wanted.shipment_id, attempt),
                                  .attempt = attempt,
                                  .carrier = wanted.carrier_id,
                                  .connector = wanted.connector,
                                  .wanted = wanted.wanted,
                                  .cause = text_or_null(wanted.cause),
                                  .service_level = text_or_null(wanted.service_level),
                                  .format = wanted.format,
                                  .test_mode = wanted.test_mode};
  if (wanted.max_price) {
    request.max_price = wanted.max_price->amount;
    request.max_currency = wanted.max_price->currency;
  }
  return request;
}

/// The facts and bytes of one write.
struct Plan {
  ChangedPurchase changed;
  std::string cause;
  std::string facts;  // JSON; empty: nothing is written
  bool keeps_lease = true;
  const LabelBytes* file = nullptr;
  std::optional<StoredPurchase> stray, next_attempt;
  const LabelBytes* stray_file = nullptr;
};

bool is_storable(const LabelBytes* file) {
  return file != nullptr && !file->bytes.empty() && file->bytes.size() <= largest_label;
}

/// Applies a change to a locked purchase.
Plan planned(const PurchaseChange& change, const sql::purchases::Lock::Row& row) {
  Plan plan;
  ChangedPurchase& changed = plan.changed;
  changed.purchase = purchase_of(change.key.business_id, row);
  changed.had_lease = row.is_held;
  changed.before = changed.purchase.facts.status;
  plan.cause = change.cause.value_or(std::string(row.cause.value_or("")));
  if (change.needs_lease && !row.is_held) return plan;
  const StoredPurchase before = changed.purchase;
  const bool had_label = before.facts.has_label;
  changed.effect = change.make(changed.purchase, row.now);
  const LabelBytes* const file = is_storable(change.file) ? change.file : nullptr;
  domain::Purchase& facts = changed.purchase.facts;
  if (changed.effect == domain::Effect::stray && change.label != nullptr) {
    domain::BoughtFacts label = *change.label;
    label.has_label = file != nullptr;
    StoredPurchase stray = changed.purchase;
    stray.stray_of = changed.purchase.key.guid;
    stray.key.guid = domain::stray_guid(changed.purchase.key.guid, label.gateway_id);
    stray.facts = domain::stray_of(facts, label, row.now);
    plan.stray_file = stray.facts.has_label ? file : nullptr;
    plan.stray = std::move(stray);
  }
  plan.keeps_lease = !(change.ends_lease && row.is_held);
  if (changed.effect == domain::Effect::ignored) return plan;
  if (domain::needs_next_attempt(before.facts, facts)) {
    StoredPurchase next = before;
    next.attempt = before.attempt + 1;
    next.key.guid = domain::purchase_guid(before.key.shipment_id, next.attempt);
    next.reference = next.key.guid;
    next.facts = domain::next_attempt(before.facts, row.now);
    plan.next_attempt = std::move(next);
  }
  if (facts.has_label && !had_label) {
    plan.file = file;
    if (file == nullptr) {  // an unusable file is fetched again
      facts.has_label = false;
      facts.next_at = row.now;
    }
  }
  plan.facts = facts_json(changed.purchase);
  return plan;
}

sql::purchases::Lock lock_statement(const PurchaseChange& change) {
  return {.business = change.key.business_id,
          .shipment = change.key.shipment_id,
          .purchase = change.key.guid,
          .worker = change.worker};
}

/// The parameters are views of both.
sql::purchases::Write write_statement(const PurchaseChange& change, const Plan& plan) {
  sql::purchases::Write write{.business = change.key.business_id,
                              .purchase = change.key.guid,
                              .facts = plan.facts,
                              .keeps_lease = plan.keeps_lease,
                              .resolved_by = text_or_null(change.resolved_by),
                              .cause = text_or_null(plan.cause),
                              .is_succeeded = plan.next_attempt.has_value()};
  if (plan.file != nullptr) {
    write.label = Bytea(std::string_view(plan.file->bytes));
    write.label_format = plan.file->format;
  }
  return write;
}

/// The parameters are views of both. `facts` are those of the stray purchase.
sql::purchases::AddStray stray_statement(const PurchaseChange& change, const Plan& plan,
                                         const std::string& facts) {
  sql::purchases::AddStray add{.business = change.key.business_id,
                               .purchase = plan.stray->key.guid,
                               .facts = facts,
                               .stray_of = change.key.guid};
  if (plan.stray_file != nullptr) {
    add.label = Bytea(std::string_view(plan.stray_file->bytes));
    add.label_format = plan.stray_file->format;
  }
  return add;
}

/// The parameters are views of `facts`, those of the next attempt.
sql::purchases::Succeed next_statement(const PurchaseChange& change, const Plan& plan,
                                       const std::string& facts) {
  return {.business = change.key.business_id,
          .purchase = plan.next_attempt->key.guid,
          .facts = facts,
          .before = change.key.guid};
}

sql::purchases::AccountMode mode_statement(const StoredPurchase& purchase) {
  return {.business = purchase.key.business_id,
          .carrier = purchase.carrier_id.value(),
          .connector = purchase.facts.connector};
}

/// The rows are those of the account.
bool is_mode_of(const StoredPurchase& purchase, const storage::TypedRows<sql::purchases::AccountMode>& rows) {
  return rows.empty() || rows.front().test_mode == purchase.test_mode;
}

struct KeyColumns {
  std::vector<Guid> businesses, guids;

  explicit KeyColumns(std::span<const PurchaseKey> keys) {
    for (const PurchaseKey& key : keys) {
      businesses.push_back(key.business_id);
      guids.push_back(key.guid);
    }
  }
};

}  // namespace

std::optional<RequestedPurchase> request_purchase(Session& session, const NewPurchase& wanted) {
  if (session.run(lock_statement(wanted)).empty()) return std::nullopt;
  bool is_new = false;
  for (int i = 0; i < most_tries; ++i) {
    if (const auto found = session.run(current_statement(wanted)); !found.empty())
      return RequestedPurchase{purchase_of(wanted.business_id, found.front()), is_new};
    const int last = session.run(attempt_statement(wanted)).front().attempt;
    is_new = !session.run(request_statement(wanted, last + 1)).empty();
  }
  throw DatabaseUnavailable("a purchase of the shipment or its carrier is changed at the same time");
}

asio::awaitable<std::optional<RequestedPurchase>> request_purchase(Transaction& transaction,
                                                                   NewPurchase wanted) {
  const auto shipment = co_await transaction.run(lock_statement(wanted));
  if (shipment.empty()) co_return std::nullopt;
  bool is_new = false;
  for (int i = 0; i < most_tries; ++i) {
    const auto found = co_await transaction.run(current_statement(wanted));
    if (!found.empty()) co_return RequestedPurchase{purchase_of(wanted.business_id, found.front()), is_new};
    const auto last = co_await transaction.run(attempt_statement(wanted));
    const auto made = co_await transaction.run(request_statement(wanted, last.front().attempt + 1));
    is_new = !made.empty();
  }
  throw DatabaseUnavailable("a purchase of the shipment or its carrier is changed at the same time");
}

std::optional<ChangedPurchase> change_purchase(Session& session, const PurchaseChange& change) {
  const auto locked = session.run(lock_statement(change));
  if (locked.empty()) return std::nullopt;
  Plan plan = planned(change, locked.front());
  if (!plan.facts.empty()) {
    session.run(write_statement(change, plan));
  } else if (!plan.keeps_lease) {
    release_purchases(session, *change.worker, std::span(&change.key, 1));
  }
  if (plan.next_attempt) {
    const std::string facts = facts_json(*plan.next_attempt);
    session.run(next_statement(change, plan, facts));
  }
  if (plan.stray) {
    const std::string facts = facts_json(*plan.stray);
    if (!session.run(stray_statement(change, plan, facts)).empty()) plan.changed.stray = plan.stray->key.guid;
  }
  return std::move(plan.changed);
}

asio::awaitable<std::optional<ChangedPurchase>> change_purchase(Transaction& transaction,
                                                                PurchaseChange change) {
  const auto locked = co_await transaction.run(lock_statement(change));
  if (locked.empty()) co_return std::nullopt;
  Plan plan = planned(change, locked.front());
  if (!plan.facts.empty()) co_await transaction.run(write_statement(change, plan));
  if (plan.next_attempt) {
    const std::string facts = facts_json(*plan.next_attempt);
    co_await transaction.run(next_statement(change, plan, facts));
  }
  if (plan.stray) {
    const std::string facts = facts_json(*plan.stray);
    const auto added = co_await transaction.run(stray_statement(change, plan, facts));
    if (!added.empty()) plan.changed.stray = plan.stray->key.guid;
  }
  co_return std::move(plan.changed);
}

bool has_mode_of_carrier(Session& session, const StoredPurchase& purchase) {
  if (!purchase.carrier_id || !purchase.test_mode) return true;
  return is_mode_of(purchase, session.run(mode_statement(purchase)));
}

asio::awaitable<bool> has_mode_of_carrier(Transaction& transaction, StoredPurchase purchase) {
  if (!purchase.carrier_id || !purchase.test_mode) co_return true;
  co_return is_mode_of(purchase, co_await transaction.run(mode_statement(purchase)));
}

std::vector<Guid> due_purchase_businesses(Session& session, std::span<const std::int16_t> shards,
                                          std::span<const Guid> had_turn) {
  std::vector<Guid> businesses;
  for (const auto& row : session.run(sql::purchases::DueBusinesses{.shards = binary_array(shards),
                                                                   .had_turn = binary_array(had_turn),
                                                                   .purchases_of_shard = purchases_of_shard}))
    businesses.push_back(row.business_id);
  return businesses;
}

std::vector<ClaimedPurchase> claim_purchases(Session& session, const Guid& worker,
                                             std::span<const Guid> businesses,
                                             std::span<const std::string> connectors) {
  std::vector<std::string> names(connectors.begin(), connectors.end());
  names.emplace_back();
  std::vector<ClaimedPurchase> claimed;
  session.run(sql::purchases::Postpone{.businesses = binary_array(businesses),
                                       .connectors = names,
                                       .delay = format_duration(std::chrono::minutes(1))});
  for (const auto& row : session.run(sql::purchases::Claim{.worker = worker,
                                                           .businesses = binary_array(businesses),
                                                           .connectors = names,
                                                           .most = purchases_at_a_time,
                                                           .lease = format_duration(purchase_lease)})) {
    claimed.push_back({purchase_of(row.business_id, row), std::string(row.cause.value_or(""))});
  }
  return claimed;
}

std::vector<Guid> renew_purchases(Session& session, const Guid& worker, std::span<const PurchaseKey> keys) {
  const KeyColumns columns(keys);
  std::vector<Guid> held;
  if (keys.empty()) return held;
  for (const auto& row : session.run(sql::purchases::Renew{.worker = worker,
                                                           .businesses = binary_array(columns.businesses),
                                                           .purchases = binary_array(columns.guids),
                                                           .lease = format_duration(purchase_lease)}))
    held.push_back(row.guid);
  return held;
}

void release_purchases(Session& session, const Guid& worker, std::span<const PurchaseKey> keys) {
  if (keys.empty()) return;
  const KeyColumns columns(keys);
  session.run(sql::purchases::Release{.worker = worker,
                                      .businesses = binary_array(columns.businesses),
                                      .purchases = binary_array(columns.guids)});
}

std::optional<Duration> next_due_purchase(Session& session, std::span<const std::int16_t> shards,
                                          Duration within) {
  const auto row =
      session.run(sql::purchases::Look{.shards = binary_array(shards), .within = format_duration(within)})
          .front();
  if (!row.wait_ms) return std::nullopt;
  return std::chrono::milliseconds(*row.wait_ms);
}

}  // namespace waybill::storage
