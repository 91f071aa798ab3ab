#include "api/gate/errors.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/json.hpp"
#include "storage/database/database.hpp"

namespace waybill::api {
namespace {

struct ConstraintRow {
  std::string_view constraint;
  std::string_view message;
};

/// The message of the 409 for each unique constraint that a request can violate.
constexpr auto unique_constraints = std::to_array<ConstraintRow>({
    {"carriers_code_unique", "A carrier with this code already exists."},
    {"customers_email_unique", "A customer with this email already exists."},
    {"dispatches_driver_out", "The driver is out on another dispatch."},
    {"dispatches_vehicle_out", "The vehicle is out on another dispatch."},
    {"orders_external_unique", "This order was already imported."},
    {"orders_number_unique", "An order with this number already exists."},
    {"product_skus_unique", "A product or variant with this SKU already exists."},
    {"products_sku_unique", "A product or variant with this SKU already exists."},
    {"shipments_tracking_unique", "A shipment with this tracking number already exists."},
    {"tracking_devices_id_unique", "A tracking device with this id already exists."},
    {"users_business_email_unique", "A user with this email belongs to the business already."},
    {"users_email_unique", "An account with this email already exists."},
    {"templates_code_unique", "A template with this code already exists."},
});

constexpr std::string_view unreachable = "The service cannot reach its database; try again.";

constexpr auto list_limits = std::to_array<ConstraintRow>({
    {"api_tokens_listed",
     "The business has 1000 API tokens that are neither revoked nor expired and can have no more."},
    {"carrier_contacts_listed", "The business has 1000 carrier contacts and can have no more."},
    {"drivers_listed", "The business has 1000 drivers and can have no more."},
    {"tracking_devices_listed", "The business has 1000 tracking devices and can have no more."},
    {"vehicles_listed", "The business has 1000 vehicles and can have no more."},
});

Failure conflict_of(std::span<const ConstraintRow> rows, std::string_view constraint,
                    std::string_view otherwise) {
  const auto row = std::ranges::find(rows, constraint, &ConstraintRow::constraint);
  return conflict(std::string(row == rows.end() ? otherwise : row->message));
}

/// By the error code of PostgreSQL (appendix A of its manual); nullopt for a fault of this program.
std::optional<Failure> refusal_of(const storage::StatementError& error) {
  const std::string_view state = error.sqlstate();
  if (state == "23505")
    return conflict_of(unique_constraints, error.constraint(), "Such a record already exists.");
  if (state == "54000" && !error.constraint().empty())
    return conflict_of(list_limits, error.constraint(), "The business has the maximum number of these.");
  if (state == "23503") return not_found("record that the request names");
  if (state == "23514" || state.starts_with("22")) {
    return Failure(ErrorCode::validation_error, "A value of the request is out of its range.");
  }
  if (state == "55P03")
    return Failure(ErrorCode::unavailable, "Another session has locked what the request needs; try again.");
  if (state.starts_with("40"))
    return Failure(ErrorCode::unavailable, "The request was in conflict with another change; try again.");
  if (storage::is_disk_full(error))
    return Failure(ErrorCode::unavailable,
                   "The service has no room left to store anything; try again later.");
  if (storage::is_canceled(error))
    return Failure(ErrorCode::unavailable, "The request took longer than the service allows; try again.");
  if (state.starts_with("53") || state.starts_with("57") || state.starts_with("08"))
    return Failure(ErrorCode::unavailable, std::string(unreachable));
  return std::nullopt;
}

ErrorAnswer with_fault(const Failure& failure, std::string fault) {
  auto answer = error_answer(failure);
  answer.fault = std::move(fault);
  return answer;
}

ErrorAnswer internal_error(std::string_view request_id, std::string fault) {
  return with_fault(
      {ErrorCode::internal_error, "An unexpected error occurred; request " + std::string(request_id) + "."},
      std::move(fault));
}

}  // namespace

ErrorAnswer error_answer(const Failure& failure) {
  std::string body = R"({"success":false,"error":{"code":")";
  body += code_text(failure.code());
  body += R"(","message":)";
  append_json_string(body, failure.message());
  if (!failure.details().empty()) {
    json::object details;
    for (const auto& [field, message] : failure.details()) details.emplace(field, message);
    body += R"(,"details":)";
    body += json::serialize(details);
  }
  body += "}}";
  ErrorAnswer answer{
      .status = http_status(failure.code()), .body = std::move(body), .retry_after = failure.retry_after()};
  if (failure.code() == ErrorCode::unavailable && !answer.retry_after)
    answer.retry_after = std::chrono::seconds(1);
  return answer;
}

ErrorAnswer error_answer(const std::exception_ptr& thrown, std::string_view request_id) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    if (failure.code() == ErrorCode::internal_error) return internal_error(request_id, failure.message());
    if (failure.code() == ErrorCode::unavailable) return with_fault(failure, failure.message());
    return error_answer(failure);
  } catch (const storage::DatabaseUnavailable& error) {
    return with_fault({ErrorCode::unavailable, std::string(unreachable)}, error.what());
  } catch (const storage::StatementError& error) {
    auto text = error.sqlstate() + " " + error.what();
    const auto refusal = refusal_of(error);
    if (!refusal) return internal_error(request_id, std::move(text));
    const bool is_fault =
        refusal->code() == ErrorCode::unavailable || refusal->code() == ErrorCode::validation_error;
    auto answer = is_fault ? with_fault(*refusal, std::move(text)) : error_answer(*refusal);
    answer.is_disk_full = storage::is_disk_full(error);
    return answer;
  } catch (const std::exception& error) {
    return internal_error(request_id, error.what());
  } catch (...) {
    return internal_error(request_id, "an exception that is not a std::exception was thrown");
  }
}

}  // namespace waybill::api
