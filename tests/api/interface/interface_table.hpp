#pragma once

#include <span>
#include <string_view>

namespace waybill::tests::interface {

/// The type of the envelope's content.
enum class Data { none, object, array, list, empty_array, guid, bare };
enum class Caller { business, anonymous, newcomer };

/// A row of the interface document's endpoint tables, as a request and the expected response.
struct Row {
  std::string_view method;
  std::string_view path;
  std::string_view ids;   // values for the path's {…} and "?query"; see PreparedBusiness::fill
  std::string_view body;  // JSON text
  int status;             // status of POST where the document's method is GET
  Data data;
  std::string_view shape;  // keys of `data` or of a list's entries: "guid,customer{guid,name},items[price]"
  Caller caller = Caller::business;
  std::string_view content_type = "application/json";
};

/// All rows of the document's tables, in order. A row that others would invalidate creates its own records.
std::span<const Row> rows();

}  // namespace waybill::tests::interface
