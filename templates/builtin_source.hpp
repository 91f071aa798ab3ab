#pragma once

#include <span>
#include <string_view>

namespace waybill::templates {

/// A file of templates/builtin/, embedded by cmake/embed_templates.cmake.
struct BuiltInSource {
  std::string_view code;  // the file's name
  std::string_view text;
};

std::span<const BuiltInSource> built_in_sources();

}  // namespace waybill::templates
