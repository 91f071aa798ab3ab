#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/guid.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::templates {

/// A built-in mail template, available to every business: templates/builtin/CODE.mustache. Comments in its
/// first lines give its name and entity type; a comment line precedes each part. Built-in templates include
/// no partials.
struct BuiltIn {
  Guid guid;  // UUIDv5 in the URL namespace of "waybill:template:CODE"
  std::string code;
  std::string name;
  domain::EntityType entity_type;
  std::string subject;
  std::string body;
  std::string html;
};

inline constexpr std::string_view built_in_type = "send_email";

/// All built-in templates, sorted by code.
std::span<const BuiltIn> built_in_templates();

/// Null if there is none.
const BuiltIn* find_built_in(std::string_view code);
const BuiltIn* find_built_in(const Guid& guid);

}  // namespace waybill::templates
