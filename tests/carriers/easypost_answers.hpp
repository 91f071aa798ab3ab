#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "tests/simulators/store_simulator.hpp"

/// The form of EasyPost's answers and label files.
namespace waybill::tests::easypost {

std::string text_of(const json::value& value);
Reply answer(int status, const json::value& body, Headers headers = {});
Reply refusal(int status, std::string_view code, Headers headers = {}, json::array errors = {});
json::array field_error(std::string_view field, std::string_view message);
Reply missing(std::string_view field);
std::string now_text();
std::string new_id(std::string_view prefix);
/// Unique within the process, because tests run several simulators against one database.
std::string new_tracking_code();
const json::object* object_in(const json::object& object, std::string_view name);
const json::object* object_in(const json::value& value, std::string_view name);
std::string string_in(const json::object& object, std::string_view name);
/// A number or its text as a number with a fraction; null for anything else.
json::value fraction(const json::value* value);
/// A white image of 8 by 12 pixels in grey with 8 bits.
std::string png_label(std::string_view code);
/// One page of 4 by 6 inches.
std::string pdf_label(std::string_view code);

}  // namespace waybill::tests::easypost
