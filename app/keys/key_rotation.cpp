#include "app/keys/key_rotation.hpp"

#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "actions/credentials.hpp"
#include "api/endpoint/job_contents.hpp"
#include "api/gate/idempotency.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "net/mail/sealed_mail.hpp"
#include "storage/settings/integration_secrets.hpp"
#include "storage/settings/key_check.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/processes.sql.hpp"
#include "storage/sql/sealed.sql.hpp"

namespace waybill::app {
namespace {

using std::chrono::steady_clock;
using storage::blocking::Connection;

constexpr int most_passes = 5;
constexpr auto pause = std::chrono::milliseconds(200);

/// A sealed value: the key of its row, and the name of its column if the row has several.
struct Place {
  Guid business;
  Guid id;
  std::string name;
};

using Purpose = std::function<std::string(const Place&)>;

struct Value {
  Place place;
  Bytes sealed;
};

/// Seals the values of one table again, in batches, row by row.
class Table {
 public:
  template <class Next, class Set>
  static Table of(std::string name, Purpose purpose) {
    Table table;
    table.name_ = std::move(name);
    table.purpose_ = std::move(purpose);
    table.next_ = [](Connection& session, const Place& last) {
      std::vector<Value> values;
      const auto rows = session.run(Next{.business = last.business, .id = last.id, .name = last.name});
      for (const auto& row : rows)
        values.push_back({{row.business, row.id, std::string(row.name)}, row.sealed});
      return values;
    };
    table.set_ = [](Connection& session, const Value& value, const Bytes& sealed) {
      session.run(Set{.business = value.place.business,
                      .id = value.place.id,
                      .name = value.place.name,
                      .old_value = value.sealed,
                      .new_value = sealed});
    };
    return table;
  }

  /// Seals the values of the table once. `resealed` counts those that another key than the first had sealed.
  RotatedTable pass(Connection& session, const SecretBox& secrets) const {
    RotatedTable found{.name = name_};
    Place last;
    for (;;) {
      const std::vector<Value> values = next_(session, last);
      for (const Value& value : values) reseal(session, secrets, value, found);
      if (values.empty()) return found;
      last = values.back().place;
    }
  }

 private:
  void reseal(Connection& session, const SecretBox& secrets, const Value& value, RotatedTable& found) const {
    try {
      const std::string purpose = purpose_(value.place);
      const SecretBox::Opened opened = secrets.open_with_key(value.sealed, purpose);
      if (opened.key == 0) return;
      set_(session, value, secrets.seal(opened.secret, purpose));
      ++found.resealed;
    } catch (const SecretError&) {
      ++found.unreadable;
    }
  }

  std::string name_;
  Purpose purpose_;
  std::function<std::vector<Value>(Connection&, const Place&)> next_;
  std::function<void(Connection&, const Value&, const Bytes&)> set_;
};

/// All sealed columns of the schema but that of `key_check`.
std::vector<Table> sealed_tables() {
  return {
      Table::of<sql::sealed::Workflows, sql::sealed::SetWorkflow>(
          "workflows", [](const Place& at) { return actions::Credentials::purpose(at.id); }),
      Table::of<sql::sealed::WorkflowVersions, sql::sealed::SetWorkflowVersion>(
          "workflow_versions", [](const Place& at) { return actions::Credentials::purpose(at.id); }),
      Table::of<sql::sealed::WorkflowSecrets, sql::sealed::SetWorkflowSecret>(
          "workflow_secrets", [](const Place& at) { return storage::workflow_secret_purpose(at.id); }),
      Table::of<sql::sealed::AlertSecrets, sql::sealed::SetAlertSecret>(
          "business_defaults", [](const Place& at) { return storage::alert_secret_purpose(at.business); }),
      Table::of<sql::sealed::VapidKeys, sql::sealed::SetVapidKey>(
          "vapid_keys", [](const Place& at) { return storage::vapid_key_purpose(at.business); }),
      Table::of<sql::sealed::FeedKeys, sql::sealed::SetFeedKey>(
          "feed_key", [](const Place&) { return std::string(storage::feed_key_purpose); }),
      Table::of<sql::sealed::Integrations, sql::sealed::SetIntegration>(
          "integrations",
          [](const Place& at) { return storage::integration_purpose(at.business, at.id, at.name); }),
      Table::of<sql::sealed::Carriers, sql::sealed::SetCarrier>(
          "carrier_configurations",
          [](const Place& at) { return connectors::carrier_secret_purpose(at.business, at.id, at.name); }),
      Table::of<sql::sealed::Mails, sql::sealed::SetMail>(
          "mail_outbox", [](const Place& at) { return net::mail_purpose(at.id); }),
      Table::of<sql::sealed::Answers, sql::sealed::SetAnswer>(
          "idempotency_keys", [](const Place& at) { return api::kept_answer_purpose(at.id, at.name); }),
      Table::of<sql::sealed::JobContents, sql::sealed::SetJobContent>(
          "job_contents", [](const Place& at) { return api::job_content_purpose(at.id, at.name); }),
  };
}

/// Waits until `names` returns no names of processes. Throws RotationError with them and `remedy`.
void wait_for_none(const std::function<std::string()>& names, std::chrono::seconds limit,
                   const std::string& remedy) {
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    std::string found = names();
    if (found.empty()) return;
    if (steady_clock::now() > deadline) throw RotationError(found.append(": ").append(remedy));
    std::this_thread::sleep_for(pause);
  }
}

void wait_until_all_have(Connection& session, const SecretBox& secrets, std::chrono::seconds limit) {
  const auto ids = secrets.key_ids();
  const std::int64_t first = ids.front();
  wait_for_none(
      [&] {
        const auto state =
            session.run(sql::processes::KeyState{.process = Guid(), .key_ids = ids, .first_key = first});
        return std::string(state.front().without.value_or(""));
      },
      limit,
      "these processes do not have the new key: start them again with its file as a further "
      "--secret-key-file");
}

void wait_until_all_encrypt_with(Connection& session, std::int64_t key, std::chrono::seconds limit) {
  wait_for_none(
      [&] {
        const auto state = session.run(sql::processes::SealingOtherwise{.key = key});
        return std::string(state.front().names.value_or(""));
      },
      limit,
      "these processes encrypt with another key: start them again with the file of the new key as their "
      "first "
      "--secret-key-file");
}

void add(std::vector<RotatedTable>& tables, const std::vector<RotatedTable>& pass) {
  if (tables.empty()) {
    tables = pass;
    return;
  }
  for (std::size_t i = 0; i < pass.size(); ++i) {
    tables[i].resealed += pass[i].resealed;
    tables[i].unreadable = pass[i].unreadable;
  }
}

}  // namespace

Rotation rotate_keys(const std::string& database_url, SecretBox& secrets, std::chrono::seconds limit) {
  Connection session(database_url, "waybill key", {.lock = std::chrono::seconds(10)});
  const std::size_t known = storage::check_secret_keys(session, secrets);
  const auto ids = secrets.key_ids();
  // Checks again after UseKeys: from then on, no process starts without the key.
  wait_until_all_have(session, secrets, limit);
  session.run(sql::processes::UseKeys{.key_ids = std::vector{ids.front(), ids.at(known)}});
  wait_until_all_have(session, secrets, limit);
  wait_until_all_encrypt_with(session, ids.front(), limit);
  session.execute("set waybill.audit = off");  // the secrets stay the same
  // A crash may lose the last commits. Their values are then still sealed with the old key, which is still in
  // use. The commit that takes the old key out of use is durable, and with it all earlier commits.
  session.execute("set synchronous_commit = off");
  Rotation rotation;
  const std::vector<Table> tables = sealed_tables();
  for (int pass = 0; pass < most_passes && !rotation.is_complete; ++pass) {
    std::vector<RotatedTable> found;
    rotation.is_complete = true;
    for (const Table& table : tables) {
      found.push_back(table.pass(session, secrets));
      if (found.back().resealed > 0 || found.back().unreadable > 0) rotation.is_complete = false;
    }
    add(rotation.tables, found);
  }
  session.execute("reset synchronous_commit");
  if (rotation.is_complete) storage::retire_other_keys(session, secrets);
  return rotation;
}

}  // namespace waybill::app
