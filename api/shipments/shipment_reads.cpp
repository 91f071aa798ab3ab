#include <algorithm>
#include <string>
#include <utility>

#include "api/endpoint/selected.hpp"
#include "api/records/answer_columns.hpp"
#include "api/records/history.hpp"
#include "api/records/row_json.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "storage/sql/purchases.sql.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

/// Reads a shipment with the columns that the call selects.
asio::awaitable<storage::ResultOf<sql::shipments::Get>> read_shipment(const Call& call, Services& services) {
  static const AnswerColumns columns(sql::shipments::Get::statement.text);
  const sql::shipments::Get get{
      .business = call.business(), .shipment = call.id(), .public_url = services.settings.public_url};
  const auto fields = selected_fields(call);
  if (fields.empty()) co_return co_await services.db.read(get);
  auto text = columns.only(fields);
  storage::Params params = storage::Params().add(call.business()).add(call.id());
  // No other column has the last parameter, and PostgreSQL refuses a value for one that a statement lacks.
  if (std::ranges::find(fields, "trackingUrl") != fields.end()) params.add(services.settings.public_url);
  co_return co_await storage::typed_rows<sql::shipments::Get>(services.db.read_text(
      call.business(), sql::shipments::Get::statement.name, std::move(text), std::move(params)));
}

}  // namespace

asio::awaitable<Answer> get_shipment(Call& call, Services& services) {
  const auto rows = co_await read_shipment(call, services);
  if (rows.empty()) throw not_found("shipment");
  std::string text = json_object(rows.more());
  const auto fields = selected_fields(call);
  if (!fields.empty() && std::ranges::find(fields, "purchase") == fields.end())
    co_return Answer::of(std::move(text));
  text.back() = ',';
  text += R"("purchase":)";
  if (rows.front().has_purchase) {
    text += json_object(co_await services.db.read(
        storage::sql::purchases::AnswerOfShipment{.business = call.business(), .shipment = call.id()}));
  } else {
    text += "null";
  }
  co_return Answer::of(text + '}');
}

asio::awaitable<Answer> get_shipment_overview(Call& call, Services& services) {
  co_return Answer::of(
      json_object(co_await services.db.read(sql::shipments::Overview{.business = call.business()})));
}

asio::awaitable<Answer> list_unassigned_shipments(Call& call, Services& services) {
  co_return Answer::of(
      json_array(co_await services.db.read(sql::shipments::Unassigned{.business = call.business()})));
}

asio::awaitable<Answer> get_shipment_history(Call& call, Services& services) {
  co_return history_answer(
      co_await services.db.read(sql::shipments::History{.business = call.business(), .shipment = call.id()}),
      "shipment");
}

}  // namespace waybill::api
