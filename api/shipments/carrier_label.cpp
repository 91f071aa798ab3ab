#include <string>
#include <utility>

#include "api/shipments/label_file.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "storage/carriers/purchase_rows.hpp"
#include "storage/sql/purchases.sql.hpp"

namespace waybill::api {
namespace {

/// The failure of a call that needs a bought label.
Failure without_label(const domain::Purchase& purchase) {
  const std::string status(domain::text_of(purchase.status));
  std::string message = "The purchase of the carrier's label is " + status;
  if (purchase.status == domain::PurchaseStatus::bought) {
    message = purchase.erased_at ? "The carrier's label is bought; its file was erased with the person"
              : purchase.resolution == domain::Resolution::bought
                  ? "The carrier's label is bought; an admin resolved the purchase without a file"
                  : "The carrier's label is bought; its file is not here yet";
  }
  return {ErrorCode::conflict, std::move(message) + ".", {{"status", status}}};
}

}  // namespace

asio::awaitable<Answer> get_carrier_label(Call& call, Services& services, std::string name) {
  const auto rows =
      co_await services.db.read(sql::purchases::Latest{.business = call.business(), .shipment = call.id()});
  if (rows.empty()) throw conflict("No label of a carrier was requested for the shipment.");
  const auto purchase = storage::purchase_of(call.business(), rows.front());
  if (purchase.facts.status != domain::PurchaseStatus::bought || !purchase.facts.has_label)
    throw without_label(purchase.facts);
  const auto files = co_await services.db.read(
      sql::purchases::Label{.business = call.business(), .purchase = purchase.key.guid},
      storage::Format::binary);
  if (files.empty()) throw without_label(purchase.facts);
  const auto file = files.front();
  if (const auto wanted = call.parameter("format"); wanted && *wanted != file.format) {
    throw Failure(ErrorCode::conflict, "The carrier's label was bought in another format.",
                  {{"format", "is " + std::string(file.format)}});
  }
  Answer answer = Answer::of(std::string(file.bytes.begin(), file.bytes.end()));
  answer.media_type = media_type_of_label(file.format);
  answer.file_name = std::move(name) + "." + std::string(file.format);
  co_return answer;
}

}  // namespace waybill::api
