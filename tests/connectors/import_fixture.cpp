#include "tests/connectors/import_fixture.hpp"

#include <stdexcept>
#include <utility>

#include "base/crypto.hpp"
#include "base/secret_box.hpp"
#include "storage/settings/integration_secrets.hpp"

namespace waybill::tests {

std::string ImportRun::counts() const {
  return std::to_string(imported) + " imported, " + std::to_string(updated) + " updated, " +
         std::to_string(unchanged) + " unchanged, " + std::to_string(failed) + " failed";
}

std::string ImportRun::reason() const {
  if (errors.size() != 1) throw std::runtime_error("not one error: " + to_json(errors));
  return std::string(errors[0].at("reason").as_string());
}

Connection::Connection(Session& sql, std::string business, const std::string& key_file, const Login& login,
                       Settings settings)
    : sql_(sql), business_(std::move(business)), guid_(Guid::random().to_string()) {
  const SecretBox box(SecretBox::read_key(key_file));
  const auto sealed = [&](std::string_view column, const std::string& secret) {
    return "\\x" + hex(box.seal(secret, storage::integration_purpose(Guid::parse(business_).value(),
                                                                     Guid::parse(guid_).value(), column)));
  };
  sql_.rows(
      "insert into integrations (business_id, guid, provider, store_url, api_key, api_secret, auto_import, "
      "sync_products, due_at) values ($1, $2, $8, $3, $4, $5, $6, $7, "
      "case when $6 then now() else 'infinity' end)",
      {business_, guid_, login.url, sealed("key", login.key), sealed("secret", login.secret),
       settings.auto_import ? "t" : "f", settings.sync_products ? "t" : "f", login.provider});
}

std::string Connection::request() {
  const auto run = Guid::timed_random(to_unix_ms(system_clock().now())).to_string();
  sql_.rows(
      "with run as (insert into integration_runs (business_id, guid, integration_id) values ($1, $3, $2)) "
      "update integrations set requested_run = $3, due_at = now() where business_id = $1 and guid = $2",
      {business_, guid_, run});
  return run;
}

ImportRun Connection::finished(const std::string& run, Deadline deadline) {
  std::vector<Session::Row> rows;
  const bool is_finished = eventually(
      [&] {
        rows = sql_.rows(
            "select imported, updated, unchanged, failed, errors from integration_runs "
            "where business_id = $1 and guid = $2 and finished_at is not null",
            {business_, run});
        return !rows.empty();
      },
      deadline);
  if (!is_finished) throw std::runtime_error("the run is not finished");
  // A sweep that nobody requested would report what the test's next one is to report.
  sql_.rows(
      "update integrations set due_at = 'infinity' where business_id = $1 and guid = $2 and not auto_import "
      "and requested_run is null",
      {business_, guid_});
  const auto number = [&](std::size_t column) { return std::stoll(rows.at(0).at(column).value()); };
  return {.guid = run,
          .imported = number(0),
          .updated = number(1),
          .unchanged = number(2),
          .failed = number(3),
          .errors = json::parse(rows.at(0).at(4).value()).as_array()};
}

std::int64_t Connection::orders() {
  return sql_.number(
      "select count(*) from orders where business_id = $1 and integration_id = $2 and deleted_at is null",
      {business_, guid_});
}

std::string Connection::order(std::int64_t external_id, std::string_view column) {
  return sql_.value("select " + std::string(column) +
                        " from orders where business_id = $1 and integration_id = $2 and external_id = $3",
                    {business_, guid_, std::to_string(external_id)});
}

std::int64_t Connection::events(int entity_type) {
  return sql_.number("select count(*) from events where business_id = $1 and entity_type = $2",
                     {business_, std::to_string(entity_type)});
}

std::int64_t Connection::failures() {
  return sql_.number("select count(*) from import_failures where business_id = $1 and integration_id = $2",
                     {business_, guid_});
}

std::string Connection::value(std::string_view column) {
  return sql_.value(
      "select " + std::string(column) + " from integrations where business_id = $1 and guid = $2",
      {business_, guid_});
}

void Connection::set(std::string_view assignments) {
  sql_.rows("update integrations set " + std::string(assignments) + " where business_id = $1 and guid = $2",
            {business_, guid_});
}

}  // namespace waybill::tests
