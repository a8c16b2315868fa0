// The page of `deskhand view`: the picture of a desktop, and its pointer and keyboard for a person.

import { renderSession } from "./session.js";

const byId = (id) => document.getElementById(id);
const [picture, screen, pointer, keys, notice] = ["picture", "screen", "pointer", "keys", "notice"].map(byId);
const pen = picture.getContext("2d", { alpha: false });

const HEADER = 12; // bytes of a frame: number, left, top, width, height
const ENDED = 4001; // code of a close after which nothing comes any more
const RETRIES_MS = [250, 500, 1000, 2000, 5000];
const NOTICE_MS = 12000;
const MOST_CHARACTERS = 8000; // of one message

const BUTTONS = ["left", "middle", "right", "back", "forward"];
const MODIFIERS = { Control: "ctrl", Alt: "alt", Shift: "shift", Meta: "super" };
const NAMED = {
  Enter: "enter", Escape: "esc", Tab: "tab", Backspace: "backspace", Delete: "delete", Insert: "insert",
  Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown",
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
  ContextMenu: "menu", PrintScreen: "print", Pause: "pause",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`F${i + 1}`, `f${i + 1}`])),
};
const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

const NOTCH_PX = 80; // of a wheel
const TOUCH_NOTCH_PX = 24; // of two fingers
const TOUCH_DRAG_PX = 10; // less is a tap
const LONG_TAP_MS = 600; // the right button

// --- connection

let socket = null;
let failures = 0;
let drawn = Promise.resolve(); // frames are drawn in their order
let hands = { state: "free", holder: "", viewers: 1 };
let you = "";

function connect() {
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    failures = 0;
    setConnection("open");
  };
  socket.onmessage = ({ data }) => (typeof data === "string" ? receive(JSON.parse(data)) : receiveFrame(data));
  socket.onclose = ({ code }) => {
    if (document.body.dataset.connection === "ended") return;
    if (code === ENDED) return setConnection("ended");
    hands = { ...hands, state: "free", holder: "" };
    setConnection("lost");
    setTimeout(connect, RETRIES_MS[Math.min(failures++, RETRIES_MS.length - 1)]);
  };
}

function send(kind, fields = {}) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ kind, ...fields }));
}

function sendCommand(name, fields = {}) {
  send("command", { name, fields });
}

function receive(message) {
  if (message.kind === "desktop") {
    you = message.you;
    byId("name").textContent = message.name;
    document.title = `${message.name} · Deskhand`;
  } else if (message.kind === "screen") {
    resize(message.width, message.height);
  } else if (message.kind === "pointer") {
    movePointer(message.x, message.y);
  } else if (message.kind === "hands") {
    if (hands.state === "other" && message.state === "free") notice.hidden = true; // it named who had them
    hands = message;
    showStatus();
  } else if (message.kind === "notice") {
    showNotice(message.text);
  } else if (message.kind === "ended") {
    setConnection("ended");
    showNotice(message.text, false);
  } else if (message.kind === "session") {
    renderSession(byId("session"), message, sendCommand);
  }
}

// --- picture

function receiveFrame(data) {
  const head = new DataView(data, 0, HEADER);
  const [left, top] = [head.getUint16(4), head.getUint16(6)];
  const image = createImageBitmap(new Blob([new Uint8Array(data, HEADER)]));
  drawn = drawn
    .then(async () => {
      const decoded = await image;
      pen.drawImage(decoded, left, top);
      decoded.close();
      picture.dataset.shown = head.getUint32(0);
    })
    .catch((error) => showNotice(`A part of the picture could not be shown: ${error.message}`))
    .then(() => send("shown", { sequence: head.getUint32(0) }));
}

function resize(width, height) {
  drawn = drawn.then(() => {
    if (picture.width !== width) picture.width = width;
    if (picture.height !== height) picture.height = height;
    screen.style.setProperty("--aspect", width / height);
  });
}

function movePointer(x, y) {
  drawn.then(() => {
    pointer.style.left = `${(100 * x) / picture.width}%`;
    pointer.style.top = `${(100 * y) / picture.height}%`;
    pointer.removeAttribute("hidden");
  });
}

// --- what the page says

function setConnection(state) {
  document.body.dataset.connection = state;
  showStatus();
}

function showStatus() {
  const connection = document.body.dataset.connection;
  const isMine = connection === "open" && hands.state === "mine";
  const wasMine = document.body.dataset.hands === "mine";
  document.body.dataset.hands = connection === "open" ? hands.state : "none";
  byId("status").textContent = statusText(connection);
  byId("take").textContent = isMine ? "Hand back" : "Take over";
  byId("take").disabled = connection !== "open" || hands.state === "taking";
  if (isMine && !wasMine && !isTouched()) keys.focus({ preventScroll: true });
  if (!isMine) keys.blur();
}

function statusText(connection) {
  if (connection === "ended") return "The desktop has ended. This page shows what it showed last.";
  if (connection === "lost") {
    return failures < RETRIES_MS.length
      ? "The connection is lost. Connecting again…"
      : "The connection is lost. If deskhand view has ended, start it again and open the address that it prints.";
  }
  if (connection !== "open") return "Connecting…";
  const others = hands.viewers > 1 ? ` · ${hands.viewers} viewers` : "";
  const texts = {
    free: "You are watching.",
    taking: "Asking for pointer and keyboard…",
    mine: "You have pointer and keyboard.",
    other: `${hands.holder} has pointer and keyboard.`,
  };
  return `${texts[hands.state]}${others}${others && you ? ` (you: ${you})` : ""}`;
}

let noticeTimer = 0;

function showNotice(text, forNow = true) {
  notice.textContent = text;
  notice.hidden = false;
  clearTimeout(noticeTimer);
  if (forNow) noticeTimer = setTimeout(() => (notice.hidden = true), NOTICE_MS);
}

const isMine = () => document.body.dataset.hands === "mine";
const isTouched = () => matchMedia("(pointer: coarse)").matches;

// --- pointer

let motion = null; // sent with the next frame of the page
let notches = { across: 0, down: 0 };
const pressed = new Set();

function place({ clientX, clientY }) {
  const box = picture.getBoundingClientRect();
  const within = (value, size) => Math.max(0, Math.min(size - 1, Math.floor(value)));
  return {
    x: within(((clientX - box.left) * picture.width) / box.width, picture.width),
    y: within(((clientY - box.top) * picture.height) / box.height, picture.height),
  };
}

function heldBy(event) {
  if (event.getModifierState?.("AltGraph")) return []; // it gives characters
  const held = [];
  if (event.ctrlKey || (IS_APPLE && event.metaKey)) held.push("ctrl");
  if (event.altKey) held.push("alt");
  if (event.shiftKey) held.push("shift");
  if (event.metaKey && !IS_APPLE) held.push("super");
  return held;
}

function moveTo(event) {
  if (motion === null) {
    requestAnimationFrame(() => {
      if (motion !== null) send("move", motion);
      motion = null;
    });
  }
  motion = { ...place(event), held: heldBy(event) };
}

function sendButton(button, down, event) {
  if (down) pressed.add(button);
  else if (!pressed.delete(button)) return;
  motion = null;
  send("button", { button, down, ...place(event), held: heldBy(event) });
}

function releaseAll() {
  pressed.clear();
  motion = null;
  if (isMine()) send("release");
}

picture.addEventListener("mousedown", (event) => {
  if (!isMine()) return;
  event.preventDefault();
  modifierAlone = "";
  keys.focus({ preventScroll: true });
  sendButton(BUTTONS[event.button] ?? "left", true, event);
});
addEventListener("mouseup", (event) => {
  if (isMine() && pressed.size) sendButton(BUTTONS[event.button] ?? "left", false, event);
});
addEventListener("mousemove", (event) => {
  if (isMine() && (pressed.size || event.target === picture)) moveTo(event);
});
picture.addEventListener("contextmenu", (event) => isMine() && event.preventDefault());
for (const kind of ["auxclick", "mouseup"]) {
  picture.addEventListener(kind, (event) => isMine() && event.button > 2 && event.preventDefault()); // back, forward
}
picture.addEventListener(
  "wheel",
  (event) => {
    if (!isMine()) return;
    event.preventDefault();
    modifierAlone = "";
    const size = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 3 : event.deltaMode ? 1 : NOTCH_PX;
    turnWheel(event.deltaX / size, event.deltaY / size, place(event), heldBy(event));
  },
  { passive: false },
);

function turnWheel(across, down, at, held) {
  notches.across += across;
  notches.down += down;
  const whole = { across: Math.trunc(notches.across), down: Math.trunc(notches.down) };
  notches = { across: notches.across - whole.across, down: notches.down - whole.down };
  if (whole.across || whole.down) send("wheel", { ...at, ...whole, held });
}

addEventListener("blur", releaseAll);
addEventListener("pagehide", releaseAll);

// --- fingers: a tap, a long tap (right button), one that drags, two that scroll

let finger = null; // { start, last, drags, timer }, or { scrolls, at }

picture.addEventListener("touchstart", (event) => touched(event, startTouch), { passive: false });
picture.addEventListener("touchmove", (event) => touched(event, moveTouch), { passive: false });
picture.addEventListener("touchend", (event) => touched(event, endTouch), { passive: false });
picture.addEventListener("touchcancel", (event) => touched(event, cancelTouch), { passive: false });

function touched(event, then) {
  if (!isMine()) return;
  event.preventDefault();
  then(event);
}

function startTouch({ touches }) {
  if (touches.length === 1) {
    const start = touches[0];
    finger = { start, last: start, drags: false, timer: setTimeout(() => longTap(start), LONG_TAP_MS) };
  } else if (finger && !finger.drags) {
    clearTimeout(finger.timer);
    finger = { scrolls: true, at: middle(touches) };
  }
}

function moveTouch({ touches }) {
  if (!finger) return;
  if (finger.scrolls) {
    if (touches.length < 2) return;
    const at = middle(touches);
    panOrTurn(finger.at.clientX - at.clientX, finger.at.clientY - at.clientY, at);
    finger.at = at;
    return;
  }
  finger.last = touches[0];
  const { start, last } = finger;
  if (!finger.drags && Math.hypot(last.clientX - start.clientX, last.clientY - start.clientY) > TOUCH_DRAG_PX) {
    clearTimeout(finger.timer);
    finger.drags = true;
    sendButton("left", true, start);
  }
  if (finger.drags) moveTo(last);
}

/** Move the picture where it is larger than its place, else turn the wheel. */
function panOrTurn(across, down, at) {
  const area = byId("desktop");
  const before = [area.scrollLeft, area.scrollTop];
  area.scrollBy(across, down);
  if (area.scrollLeft !== before[0] || area.scrollTop !== before[1]) return;
  turnWheel(across / TOUCH_NOTCH_PX, down / TOUCH_NOTCH_PX, place(at), []);
}

function endTouch({ touches }) {
  if (!finger || touches.length) return;
  clearTimeout(finger.timer);
  const { start, last, drags, scrolls } = finger;
  finger = null;
  if (scrolls) return;
  if (!drags) sendButton("left", true, start);
  sendButton("left", false, drags ? last : start);
}

function cancelTouch() {
  clearTimeout(finger?.timer);
  finger = null;
  releaseAll();
}

function longTap(start) {
  finger = null;
  sendButton("right", true, start);
  sendButton("right", false, start);
}

function middle(touches) {
  const half = (name) => (touches[0][name] + touches[1][name]) / 2;
  return { clientX: half("clientX"), clientY: half("clientY") };
}

// --- keyboard: characters come as text, also from input methods and phones; all else as keys

const FILLER = "\u200b"; // phones report the backspace key only where there is something to delete
let modifierAlone = ""; // pressed, and nothing since

function emptyKeys() {
  keys.value = FILLER;
  keys.setSelectionRange(1, 1);
}

function sendText(text) {
  const characters = [...text];
  for (let start = 0; isMine() && start < characters.length; start += MOST_CHARACTERS) {
    send("text", { text: characters.slice(start, start + MOST_CHARACTERS).join("") });
  }
}

function typed() {
  const text = keys.value.replaceAll(FILLER, "");
  emptyKeys();
  sendText(text);
}

function isCharacter(event) {
  const isOne = [...event.key].length === 1;
  const held = heldBy(event).filter((name) => name !== "shift" && !(IS_APPLE && name === "alt"));
  return isOne && held.length === 0;
}

keys.addEventListener("keydown", (event) => {
  if (!isMine() || event.isComposing || event.keyCode === 229 || event.key === "Dead") return;
  if (event.ctrlKey && event.altKey && event.key === "Escape") {
    event.preventDefault();
    byId("take").focus();
    return;
  }
  if (event.key in MODIFIERS) {
    if (!event.repeat) modifierAlone = event.key === "Shift" ? "" : event.key;
    if (event.key !== "Shift") event.preventDefault();
    return;
  }
  modifierAlone = "";
  if (isCharacter(event)) return;
  const key = NAMED[event.key] ?? ([...event.key].length === 1 ? event.key : "");
  if (!key) return;
  event.preventDefault();
  send("key", { key, held: heldBy(event) });
});
keys.addEventListener("keyup", (event) => {
  if (isMine() && event.key === modifierAlone) send("key", { key: MODIFIERS[event.key] });
  modifierAlone = "";
});
keys.addEventListener("beforeinput", (event) => {
  const key = { deleteContentBackward: "backspace", deleteContentForward: "delete", insertLineBreak: "enter" };
  if (event.isComposing || !(event.inputType in key)) return;
  event.preventDefault();
  send("key", { key: key[event.inputType] });
});
keys.addEventListener("input", (event) => event.isComposing || typed());
keys.addEventListener("compositionend", typed);
keys.addEventListener("paste", (event) => {
  event.preventDefault();
  sendText(event.clipboardData.getData("text/plain"));
});
keys.addEventListener("focus", emptyKeys);
keys.addEventListener("blur", () => (modifierAlone = ""));

// --- buttons

byId("take").addEventListener("click", () => send(isMine() ? "hand_back" : "take"));
byId("keyboard").addEventListener("click", () => keys.focus({ preventScroll: true }));
byId("paste").addEventListener("click", async () => {
  try {
    sendText(await navigator.clipboard.readText());
  } catch {
    showNotice("The browser does not let this page read what you copied: paste with your keyboard's own command.");
  }
  if (!isTouched()) keys.focus({ preventScroll: true });
});
byId("size").addEventListener("click", (event) => {
  const isFull = document.body.dataset.size === "1:1";
  document.body.dataset.size = isFull ? "fit" : "1:1";
  event.currentTarget.setAttribute("aria-pressed", String(!isFull));
});

connect();
