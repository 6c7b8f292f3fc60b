// The browser passes no messages of the protocol to a page while its next document
// is requested. While a person is asked about that request, the engine calls the
// functions over a channel, to which an empty document of the same origin posts. The
// page does not know the channel's name. The channel is opened when the page begins
// to navigate, which is before the request.
const mainFrame = self === self.top;
const serveRelay = name => {
  if (!mainFrame || self.navigation === undefined) return null;
  let channel = null;
  self.navigation.addEventListener('navigate', () => {
    if (channel !== null) return;
    channel = new BroadcastChannel(name);
    channel.addEventListener('message', async ({data: {call, name: called, arg}}) => {
      if (call === undefined) return; // an answer
      try {
        channel.postMessage({answer: call, value: await api.run(called, arg)});
      } catch (error) {
        channel.postMessage({answer: call, error: String(error)});
      }
    });
  });
  return null;
};
