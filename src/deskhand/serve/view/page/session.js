// The session's part of the page.

/**
 * Show the state of the session in its element; called with each new state.
 *
 * @param {HTMLElement} element - hidden until there is something to show
 * @param {object} state - the server's message of kind "session"
 * @param {(name: string, fields?: object) => void} sendCommand - ask the session for something
 */
export function renderSession(element, state, sendCommand) {}
