#include "documents/png_page.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "documents/cairo_output.hpp"
#include "documents/label_pages.hpp"

namespace waybill::documents {
namespace {

constexpr double points_per_inch = 72;
constexpr double inches_per_metre = 39.37007874;

struct PixelsPerMetre {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

struct Header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::optional<PixelsPerMetre> density;
};

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

/// Reads the chunks before the pixels (W3C PNG, sections 5.3 and 11): length, type, data, checksum.
Header read_header(std::string_view png) {
  constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
  constexpr std::size_t frame = 12;
  Header header;
  if (!png.starts_with(signature)) throw UnprintableLabel("has a label that is not a PNG");
  for (std::size_t at = signature.size(); png.size() - at >= frame;) {
    const std::size_t length = number_at(png, at);
    const auto type = png.substr(at + 4, 4);
    if (length > png.size() - at - frame || type == "IDAT") break;
    const auto data = png.substr(at + 8, length);
    if (type == "IHDR" && length == 13) {
      header.width = number_at(data, 0);
      header.height = number_at(data, 4);
    } else if (type == "pHYs" && length == 9 && data[8] == 1) {
      header.density = PixelsPerMetre{.x = number_at(data, 0), .y = number_at(data, 4)};
    }
    at += frame + length;
  }
  return header;
}

struct Input {
  std::string_view left;
};

cairo_status_t read(void* input, unsigned char* data, unsigned size) {
  auto& left = static_cast<Input*>(input)->left;
  if (left.size() < size) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(data, left.data(), size);
  left.remove_prefix(size);
  return CAIRO_STATUS_SUCCESS;
}

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;

Surface image_of(std::string_view png) {
  Input input{png};
  Surface image(cairo_image_surface_create_from_png_stream(read, &input));
  // cairo reports most faults of a file as a lack of memory, of which there is enough for `most_pixels`.
  if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS)
    throw UnprintableLabel("has a damaged label");
  return image;
}

/// A size in points.
struct Size {
  double width = 0;
  double height = 0;
};

/// The printed size of an image that names the resolution of a printer.
std::optional<Size> own_size(const Header& header) {
  constexpr double least_dpi = 150;
  constexpr double most_dpi = 1200;
  constexpr double rounding = 0.5;  // pHYs has whole pixels per metre
  const auto is_of_printer = [](double dpi) {
    return dpi > least_dpi - rounding && dpi < most_dpi + rounding;
  };
  if (!header.density) return std::nullopt;
  const double dpi_x = header.density->x / inches_per_metre;
  const double dpi_y = header.density->y / inches_per_metre;
  if (!is_of_printer(dpi_x) || !is_of_printer(dpi_y)) return std::nullopt;
  return Size{.width = header.width / dpi_x * points_per_inch,
              .height = header.height / dpi_y * points_per_inch};
}

Size usual_page(const Header& header) {
  constexpr Size portrait{.width = 4 * points_per_inch, .height = 6 * points_per_inch};
  constexpr Size landscape{.width = portrait.height, .height = portrait.width};
  return header.width > header.height ? landscape : portrait;
}

Size fitted(const Header& header, const Size& page) {
  const double scale = std::min(page.width / header.width, page.height / header.height);
  return {.width = header.width * scale, .height = header.height * scale};
}

}  // namespace

std::string png_page(std::string_view png) {
  const Header header = read_header(png);
  if (header.width == 0 || header.height == 0) throw UnprintableLabel("has a damaged label");
  if (std::uint64_t{header.width} * header.height > most_pixels) {
    throw UnprintableLabel("has a label of more than " + std::to_string(most_pixels / 1'000'000) +
                           " million pixels");
  }
  const Surface image = image_of(png);
  const auto own = own_size(header);
  const Size page = own ? *own : usual_page(header);
  const Size printed = own ? *own : fitted(header, page);

  std::string pdf;
  const Surface surface(cairo_pdf_surface_create_for_stream(append, &pdf, page.width, page.height));
  const Context context(cairo_create(surface.get()));
  cairo_translate(context.get(), (page.width - printed.width) / 2, (page.height - printed.height) / 2);
  cairo_scale(context.get(), printed.width / header.width, printed.height / header.height);
  cairo_set_source_surface(context.get(), image.get(), 0, 0);
  // Smoothed bars are harder to scan.
  cairo_pattern_set_filter(cairo_get_source(context.get()), CAIRO_FILTER_NEAREST);
  cairo_paint(context.get());
  check(cairo_status(context.get()));
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return pdf;
}

}  // namespace waybill::documents
