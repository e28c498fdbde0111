/* Channels: one direction of one (communicator, peer, tag) each. */
#include "record.h"

struct channel sw_channels[SW_CHANNELS];
static uint32_t channel_count;
uint32_t sw_peer_generations[SW_GENERATIONS];
uint32_t sw_collective_generation;

/* Enters a channel in a free place, unless another thread was faster. False if there is no room. */
int sw_enter_channel(struct channel *channel, uint32_t comm, int32_t peer, int32_t tag, uint32_t receives) {
  sw_lock();
  int room = channel->used || channel_count < SW_CHANNELS / 4 * 3;
  if (room && !channel->used) {
    ++channel_count;
    channel->comm = comm;
    channel->peer = peer;
    channel->tag = tag;
    channel->receives = receives;
    __atomic_store_n(&channel->used, 1, __ATOMIC_RELEASE);
  }
  sw_unlock();
  return room;
}
