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
#include <memory>
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

// What libav says about an error code of its own.
inline std::string libav_error(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

}  // namespace video
