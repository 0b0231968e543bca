/** While an answer still comes in: what is decided only then may be sent twice, so nothing is. */
export const isBusy = (chat) => chat.status === "submitted" || chat.status === "streaming";
