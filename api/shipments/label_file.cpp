#include "api/shipments/label_file.hpp"

namespace waybill::api {

std::string_view media_type_of_label(std::string_view format) {
  if (format == "png") return other_label_types[0];
  return format == "zpl" ? other_label_types[1] : "application/pdf";
}

}  // namespace waybill::api
