#pragma once

#include <span>
#include <string_view>

namespace waybill::tests::interface {

/// What the envelope holds.
enum class Data { none, object, array, list, empty_array, guid, bare };
enum class Caller { business, nobody, newcomer };

/// A row of the document.
struct Row {
  std::string_view method;
  std::string_view path;
  std::string_view ids;   // what stands for the path's {…}, and "?query"; see PreparedBusiness::fill
  std::string_view body;  // JSON text
  int status;             // of POST where the document's method is GET
  Data data;
  std::string_view shape;  // the keys of `data`, of a list's entries: "guid,customer{guid,name},items[price]"
  Caller caller = Caller::business;
  std::string_view content_type = "application/json";
};

/// All rows of the document's tables, in their order. A row that others spoil makes the records that it
/// needs.
std::span<const Row> rows();

}  // namespace waybill::tests::interface
