// libav's objects, freed by themselves.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace video {

// A deleter of what libav frees through a pointer to the pointer.
template <auto free>
struct FreeByPointer {
  template <typename T>
  void operator()(T* object) const {
    free(&object);
  }
};
struct FreeScaler {
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

using FramePtr = std::unique_ptr<AVFrame, FreeByPointer<av_frame_free>>;
using PacketPtr = std::unique_ptr<AVPacket, FreeByPointer<av_packet_free>>;
using CodecPtr = std::unique_ptr<AVCodecContext, FreeByPointer<avcodec_free_context>>;
using InputPtr = std::unique_ptr<AVFormatContext, FreeByPointer<avformat_close_input>>;
using ScalerPtr = std::unique_ptr<SwsContext, FreeScaler>;

// How a player is to turn the picture: a phone held upright says so here.
using DisplayMatrix = std::array<std::int32_t, 9>;

#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
inline std::optional<DisplayMatrix> display_matrix(const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  const AVPacketSideData* found = av_packet_side_data_get(
      parameters.coded_side_data, parameters.nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  if (found == nullptr || found->size < sizeof(DisplayMatrix)) return std::nullopt;
  DisplayMatrix matrix;
  std::memcpy(matrix.data(), found->data, sizeof(matrix));
  return matrix;
}
inline void set_display_matrix(AVStream& stream, const DisplayMatrix& matrix) {
  AVCodecParameters& parameters = *stream.codecpar;
  AVPacketSideData* made =
      av_packet_side_data_new(&parameters.coded_side_data, &parameters.nb_coded_side_data,
                              AV_PKT_DATA_DISPLAYMATRIX, sizeof(matrix), 0);
  if (made == nullptr) throw std::bad_alloc();
  std::memcpy(made->data, matrix.data(), sizeof(matrix));
}
#else
inline std::optional<DisplayMatrix> display_matrix(const AVStream& stream) {
  std::size_t size = 0;
  const std::uint8_t* found = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  if (found == nullptr || size < sizeof(DisplayMatrix)) return std::nullopt;
  DisplayMatrix matrix;
  std::memcpy(matrix.data(), found, sizeof(matrix));
  return matrix;
}
inline void set_display_matrix(AVStream& stream, const DisplayMatrix& matrix) {
  std::uint8_t* made = av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof(matrix));
  if (made == nullptr) throw std::bad_alloc();
  std::memcpy(made, matrix.data(), sizeof(matrix));
}
#endif

// What libav says about an error code of its own.
inline std::string libav_error(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

}  // namespace video
