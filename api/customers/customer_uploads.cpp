// Customers from a CSV file: upload, preview and confirmation.
#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/customers/customer_csv.hpp"
#include "api/http/multipart.hpp"
#include "api/records/row_json.hpp"
#include "api/route/params.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"
#include "base/guid.hpp"
#include "base/utf8.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::customer_uploads;

constexpr std::size_t part_size = 5'000;  // rows that one statement stores or applies
constexpr int most_waiting_uploads = 20;  // per business
// The wait for other confirmations of the business.
constexpr auto longest_wait = std::chrono::seconds(8);
constexpr auto first_pause = std::chrono::milliseconds(20);
constexpr auto longest_pause = std::chrono::milliseconds(320);

constexpr std::string_view actions[] = {"create", "update"};
constexpr Property row_properties[] = {
    {.name = "line", .kind = Kind::integer, .nullable = false},
    {.name = "email", .kind = Kind::email},
    {.name = "action", .kind = Kind::one_of, .nullable = false, .values = actions},
};
constexpr Schema row_schema{"CustomerUploadRow", row_properties};
constexpr Property preview_properties[] = {
    {.name = "total", .kind = Kind::integer, .nullable = false},
    {.name = "create",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of new customers."},
    {.name = "update",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of customers with a known e-mail address."},
    {.name = "rows",
     .kind = Kind::array,
     .nullable = false,
     .schema = &row_schema,
     .description = "The first 100 rows."},
};
constexpr Schema preview_schema{"CustomerUploadPreview", preview_properties};

constexpr ErrorCode preview_errors[] = {ErrorCode::conflict};  // already confirmed
constexpr Parameter confirm_parameters[] = {
    {.name = "guid", .kind = Kind::uuid, .required = true, .description = "The guid of the upload."}};

/// Returns the content of the form's only field.
std::string_view file_of(const Call& call) {
  const auto form = parse_form(call.content_type, call.raw_body);
  if (const auto* const problem = std::get_if<std::string>(&form)) throw invalid("body", *problem);
  FieldErrors errors;
  const FormPart* file = nullptr;
  for (const auto& part : std::get<std::vector<FormPart>>(form)) {
    if (part.name != "file") {
      errors.push_back({to_text(part.name), "unknown field"});
    } else if (file != nullptr) {
      errors.push_back({"file", "must be given once"});
    } else {
      file = &part;
    }
  }
  if (file == nullptr) errors.push_back({"file", "is required"});
  if (!errors.empty()) throw invalid(std::move(errors));
  return file->content;
}

/// Collects the columns of a part as arrays.
class PartWriter {
 public:
  void add(const CustomerRow& row) {
    lines_.add(std::to_string(row.line));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto& value = row.values.at(i);
      value ? columns_.at(i).add(*value) : columns_.at(i).add_null();
    }
  }
  std::size_t size() const { return lines_.size(); }

  void take(storage::Params& params) {
    params.add_array(std::exchange(lines_, {}));
    for (auto& column : columns_) params.add_array(std::exchange(column, {}));
  }

 private:
  storage::ArrayLiteral lines_;
  std::array<storage::ArrayLiteral, customer_csv_columns.size()> columns_;
};

storage::Params upload_params(const std::string& business, const std::string& upload) {
  storage::Params params;
  params.add(business).add(upload);
  return params;
}

/// Throws Failure with the first hundred invalid lines if the file has any error.
void refuse_bad_file(const CustomerCsv& csv, const storage::Rows& repeated) {
  auto lines = csv.line_errors();
  storage::for_each_row(repeated, [&](const storage::RowView& row) {
    lines.push_back({row.number<std::size_t>(0), "email is already on line " + row.string(1)});
  });
  std::ranges::sort(lines, {}, &CustomerCsv::LineError::line);
  if (lines.size() > most_line_errors) lines.resize(most_line_errors);
  FieldErrors errors;
  if (csv.problem()) errors.push_back({"file", *csv.problem()});
  for (auto& [line, message] : lines) {
    errors.push_back({"line " + std::to_string(line), std::move(message)});
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> upload_customers(Call& call, Services& services) {
  const auto business = call.principal.business_id.to_string();
  const auto guid = Guid::timed_random(to_unix_ms(services.clock.now())).to_string();
  CustomerCsv csv(file_of(call));
  const auto transaction = co_await services.db.begin(call.cause());
  auto upload = upload_params(business, guid);
  upload.add(most_waiting_uploads);
  if ((co_await transaction->run(sql::create, std::move(upload))).empty()) {
    throw conflict(
        "20 uploads wait for confirmation; confirm one, or wait until they expire after 24 hours.");
  }
  PartWriter writer;
  int part = 0;
  for (auto row = csv.next(); row || writer.size() > 0; row = csv.next()) {
    if (row) writer.add(*row);
    if (row && writer.size() < part_size) continue;
    auto params = upload_params(business, guid);
    params.add(part++);
    writer.take(params);
    co_await transaction->run(sql::add_part, std::move(params));
  }
  refuse_bad_file(csv, co_await transaction->run(sql::repeated, upload_params(business, guid)));
  co_await transaction->commit();
  co_return Answer::created('"' + guid + '"', "/api/v1/Customers/upload/" + guid);
}

Failure confirmed_already() { return conflict("The upload is already confirmed."); }

asio::awaitable<Answer> preview_upload(Call& call, Services& services) {
  const auto rows = co_await services.db.read(sql::preview, key_params(call));
  if (rows.empty()) throw not_found("upload");
  if (rows.get(0, 0) == "t") throw confirmed_already();
  co_return Answer::of(json_object(rows.slice(0, 1, 1)));
}

/// Returns false if another upload of the business is being confirmed.
asio::awaitable<bool> try_confirming(const Call& call, Services& services, const std::string& guid) {
  const auto business = call.principal.business_id.to_string();
  const auto transaction = co_await services.db.begin(call.cause());
  const auto upload = co_await transaction->run(sql::lock, upload_params(business, guid));
  if (upload.empty()) throw not_found("upload");
  if (upload.get(0, 0) == "t") throw confirmed_already();
  if (upload.get(0, 2) != "t") throw conflict("The upload is being confirmed.");
  if ((co_await transaction->run(sql::lock_business, business_params(call))).get(0, 0) != "t")
    co_return false;
  const auto parts = storage::RowView(upload, 0).number<int>(1);
  for (int part = 0; part < parts; ++part) {
    auto params = upload_params(business, guid);
    params.add(part);
    co_await transaction->run(sql::apply_part, std::move(params));
  }
  co_await transaction->run(sql::finish, upload_params(business, guid));
  co_await transaction->commit();
  co_return true;
}

/// Uploads of a business are confirmed one after another. A waiting upload occupies no database connection.
asio::awaitable<Answer> confirm_upload(Call& call, Services& services) {
  const auto guid = Guid::parse(call.parameter("guid").value_or("")).value().to_string();
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  for (auto pause = first_pause; !co_await try_confirming(call, services, guid);
       pause = std::min(2 * pause, longest_pause)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      throw Failure(ErrorCode::unavailable, "Other uploads of the business are being confirmed; try again.")
          .with_retry_after(longest_wait);
    }
    timer.expires_after(pause);
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return Answer::none();
}

constexpr Route routes[] = {
    {.method = Method::post,
     .path = "/api/v1/Customers/upload",
     .permission = Permission::operate,
     .handler = upload_customers,
     .operation_id = "uploadCustomers",
     .summary = "Uploads a CSV file of up to 100 000 customers",
     .description = "Nothing changes until the upload is confirmed, within 24 hours.",
     .tag = "Customers",
     .body_kind = BodyKind::multipart,
     .answer_kind = Kind::uuid,
     .status = 201},
    {.method = Method::get,
     .path = "/api/v1/Customers/upload/{guid}",
     .permission = Permission::read,
     .handler = preview_upload,
     .operation_id = "previewCustomerUpload",
     .summary = "Returns what the confirmation of an upload will change",
     .tag = "Customers",
     .answer = &preview_schema,
     .errors = preview_errors},
    {.method = Method::get,
     .path = "/api/v1/Customers/confirm-upload",
     .permission = Permission::operate,
     .handler = confirm_upload,
     .operation_id = "confirmCustomerUpload",
     .summary = "Creates and updates the customers of an upload, all or none",
     .tag = "Customers",
     .query = confirm_parameters,
     .changes = true},
};

}  // namespace

std::span<const Route> customer_upload_routes() { return routes; }

}  // namespace waybill::api
