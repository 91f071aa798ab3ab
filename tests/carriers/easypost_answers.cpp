#include "tests/carriers/easypost_answers.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <zlib.h>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"

namespace waybill::tests::easypost {
namespace {

// base/json.hpp writes 15.0 as 15, but EasyPost writes weights and lengths with a decimal point.
void append_text(std::string& out, const json::value& value) {
  if (const auto* const object = value.if_object()) {
    std::string_view separator = "{";
    for (const auto& entry : *object) {
      out += separator;
      append_json_string(out, entry.key());
      out += ':';
      append_text(out, entry.value());
      separator = ",";
    }
    out += object->empty() ? "{}" : "}";
  } else if (const auto* const list = value.if_array()) {
    std::string_view separator = "[";
    for (const auto& element : *list) {
      out += separator;
      append_text(out, element);
      separator = ",";
    }
    out += list->empty() ? "[]" : "]";
  } else {
    const auto start = out.size();
    append_json(out, value);
    if (value.is_double() && out.find('.', start) == std::string::npos) out += ".0";
  }
}

std::string_view words_of(std::string_view code) {
  static const std::map<std::string_view, std::string_view> words = {
      {"UNAUTHORIZED", "You are not authorized to access this resource."},
      {"MODE.UNAUTHORIZED", "This resource requires a production API Key to access."},
      {"NOT_FOUND", "The requested resource could not be found."},
      {"PARAMETER.REQUIRED", "Missing required parameter."},
      {"RATE_LIMITED", "Too many requests. Please wait before you try again."},
      {"PAYMENT_REQUIRED", "Insufficient funds. Please add funds to your account."},
      {"INTERNAL_SERVER_ERROR", "An unexpected error occurred on the server."},
      {"SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment."},
      {"SHIPMENT.PURCHASE.IN_PROGRESS", "A purchase of this shipment is in progress."},
      {"SHIPMENT.REFUND.UNAVAILABLE", "Unable to request refund. The parcel has been shipped."}};
  const auto found = words.find(code);
  return found == words.end() ? "The request cannot be processed." : found->second;
}

// Bytes of a PNG's chunk (W3C PNG, section 5.3).
std::string png_chunk(const std::string& type_and_data) {
  const auto big_endian = [](std::size_t number) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>((number >> shift) & 0xFF);
    return bytes;
  };
  const auto* const bytes = reinterpret_cast<const Bytef*>(type_and_data.data());
  return big_endian(type_and_data.size() - 4) + type_and_data +
         big_endian(crc32(0, bytes, static_cast<uInt>(type_and_data.size())));
}

}  // namespace

std::string text_of(const json::value& value) {
  std::string text;
  append_text(text, value);
  return text;
}

Reply answer(int status, const json::value& body, Headers headers) {
  headers.emplace_back("Content-Type", "application/json; charset=utf-8");
  return Reply::with_status(status, std::move(headers), text_of(body));
}

Reply refusal(int status, std::string_view code, Headers headers, json::array errors) {
  const json::object error = {{"code", code}, {"message", words_of(code)}, {"errors", std::move(errors)}};
  return answer(status, json::object{{"error", error}}, std::move(headers));
}

json::array field_error(std::string_view field, std::string_view message) {
  return json::array{json::object{{"field", field}, {"message", message}, {"suggestion", nullptr}}};
}

Reply missing(std::string_view field) {
  return refusal(422, "PARAMETER.REQUIRED", {}, field_error(field, "cannot be blank"));
}

std::string now_text() { return format_timestamp(system_clock().now()).substr(0, 19) + "Z"; }

std::string new_id(std::string_view prefix) { return std::string(prefix) + "_" + hex(random_bytes(16)); }

std::string new_tracking_code() {
  static std::atomic<std::int64_t> last = 100'000'000'000;
  return "9400111899" + std::to_string(++last);
}

const json::object* object_in(const json::object& object, std::string_view name) {
  const auto* const found = object.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

const json::object* object_in(const json::value& value, std::string_view name) {
  const auto* const object = value.if_object();
  return object != nullptr ? object_in(*object, name) : nullptr;
}

std::string string_in(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

json::value fraction(const json::value* value) {
  if (value != nullptr && value->is_number()) return value->to_number<double>();
  if (value != nullptr && value->is_string()) {
    if (const auto number = parse_number<double>(std::string_view(value->get_string()))) return *number;
  }
  return nullptr;
}

std::string png_label(std::string_view code) {
  using namespace std::string_literals;
  std::string rows;
  for (int row = 0; row < 12; ++row) rows += "\0"s + std::string(8, '\xFF');
  std::array<Bytef, 256> packed{};
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  return "\x89PNG\r\n\x1A\n"s + png_chunk("IHDR\0\0\0\x08\0\0\0\x0C\x08\0\0\0\0"s) +
         png_chunk("tEXtComment\0"s + std::string(code)) +
         png_chunk("IDAT" + std::string(reinterpret_cast<const char*>(packed.data()), size)) +
         png_chunk("IEND");
}

std::string pdf_label(std::string_view code) {
  const std::string drawing = "BT /F1 14 Tf 24 380 Td (" + std::string(code) + ") Tj ET";
  const std::array<std::string, 5> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R "
      ">> >> >>",
      "<< /Length " + std::to_string(drawing.size()) + " >>\nstream\n" + drawing + "\nendstream",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  std::string file = "%PDF-1.4\n";
  std::string table = "xref\n0 6\n0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string offset = std::to_string(file.size());
    table += std::string(10 - offset.size(), '0') + offset + " 00000 n \n";
    file += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string start = std::to_string(file.size());
  return file + table + "trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n" + start + "\n%%EOF\n";
}

}  // namespace waybill::tests::easypost
