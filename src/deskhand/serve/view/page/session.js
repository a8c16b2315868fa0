// The session's part of the page: what waits for the user first, then the state machines, the step, its actions, budgets.

const PHASES = { data_collection: "observe", llm_interaction: "decide", action_execution: "act", memory_update: "record" };
const GOOD = ["confirmed", "success"];
const BAD = ["refused", "partial", "failure", "rejected", "failed", "error"];
const SHOWN_ACTIONS = 12;

let parts = null; // elements, made once
let openNumber = -1; // of the question or confirmation whose form is shown
let mayStopUntil = 0;

/**
 * Show the state of the session in its element; called with each new state.
 *
 * @param {HTMLElement} element - hidden until there is something to show
 * @param {object} state - the server's message of kind "session": `LiveState.to_json`, and `number` of what waits
 * @param {(name: string, fields?: object) => void} sendCommand - ask the session for something
 */
export function renderSession(element, state, sendCommand) {
  element.hidden = false;
  parts ??= build(element, sendCommand);
  parts.title.textContent = state.request || state.session;
  showStatus(state);
  showHold(state);
  showWaiting(state, sendCommand);
  fill(parts.machines, (state.machines ?? []).map(machineRow));
  fill(parts.phases, (state.phases ?? []).map(phaseItem));
  parts.step.textContent = stepText(state);
  parts.thought.textContent = state.thought ?? "";
  parts.thought.hidden = !state.thought;
  fill(parts.actions, (state.actions ?? []).slice(-SHOWN_ACTIONS).reverse().map(actionItem));
  fill(parts.budgets, (state.budgets ?? []).filter(({ limit }) => limit !== null).map(budgetRow));
  parts.spent.textContent = spentText(state.spent);
  fill(parts.problems, (state.problems ?? []).map((text) => make("li", "", text)));
  parts.problems.hidden = !state.problems?.length;
  parts.stop.hidden = Boolean(state.outcome);
}

function build(element, sendCommand) {
  const made = {
    title: make("h2", "request"),
    status: make("p", "state"),
    hold: make("div", "attention"),
    waiting: make("form", "attention"),
    machines: make("ul", "machines"),
    step: make("p", "step"),
    phases: make("ol", "phases"),
    thought: make("blockquote", "thought"),
    actions: make("ol", "actions"),
    budgets: make("ul", "budgets"),
    spent: make("p", "spent"),
    problems: make("ul", "problems"),
    stop: make("button", "stop", "Stop the session"),
  };
  made.note = make("input");
  Object.assign(made.note, { placeholder: "Words for the agent", maxLength: 2000 });
  made.note.setAttribute("aria-label", "Words for the agent");
  made.holder = make("p");
  const back = make("button", "main", "Hand back");
  back.type = "button";
  back.addEventListener("click", () => {
    sendCommand("hand_back", { note: made.note.value });
    made.note.value = "";
  });
  made.hold.append(made.holder, made.note, back);
  made.stop.type = "button";
  made.stop.addEventListener("click", () => stop(made.stop, sendCommand));
  const headed = (text, part) => {
    const group = make("section", "group");
    group.append(make("h3", "", text), part);
    return group;
  };
  element.replaceChildren(
    made.title, made.status, made.hold, made.waiting,
    headed("Agents", made.machines),
    made.step, made.phases, made.thought,
    headed("Actions, the latest first", made.actions),
    made.budgets, made.spent, made.problems, made.stop,
  );
  return made;
}

function stop(button, sendCommand) {
  if (Date.now() < mayStopUntil) {
    sendCommand("stop");
    button.textContent = "Stopping…";
    return;
  }
  mayStopUntil = Date.now() + 4000;
  button.textContent = "Press again to stop";
  setTimeout(() => {
    if (button.textContent === "Press again to stop") button.textContent = "Stop the session";
  }, 4000);
}

function showStatus({ outcome, reason, hold, waiting, seconds, model, asked_model: asked }) {
  const [word, tone] = outcome
    ? [outcome, GOOD.includes(outcome) ? "good" : "bad"]
    : hold ? ["paused", "wary"] : waiting ? ["waits for you", "wary"] : ["running", "plain"];
  const badge = make("strong", `badge ${tone}`, word);
  const thinking = !outcome && asked ? ` · ${asked} is asked` : "";
  parts.status.replaceChildren(badge, ` worked ${duration(seconds ?? 0)} · ${model ?? ""}${thinking}`);
  if (outcome && reason) parts.status.append(make("span", "reason", reason));
}

function showHold({ hold, outcome }) {
  parts.hold.hidden = !hold || Boolean(outcome);
  if (!hold) return;
  parts.holder.textContent = hold.by
    ? `${hold.by} has the desktop. The agent waits.`
    : `The agent waits: ${hold.reason}.`;
  for (const each of [parts.note, parts.note.nextSibling]) each.hidden = !hold.by;
}

function showWaiting({ waiting, number, outcome }, sendCommand) {
  const form = parts.waiting;
  form.hidden = !waiting || Boolean(outcome);
  if (form.hidden) openNumber = -1;
  if (form.hidden || openNumber === number) return; // what was typed so far stays
  openNumber = number;
  if (waiting.questions.length) buildQuestions(form, waiting, number, sendCommand);
  else buildConfirmation(form, waiting, number, sendCommand);
}

function buildQuestions(form, waiting, number, sendCommand) {
  const fields = waiting.questions.map((question) => {
    const label = make("label", "", question);
    const input = make("input");
    label.append(input);
    return { question, label, input };
  });
  const send = make("button", "main", "Answer");
  form.replaceChildren(make("p", "", `${waiting.agent} asks, in the model's own words:`), ...fields.map((f) => f.label), send);
  form.onsubmit = (event) => {
    event.preventDefault();
    sendCommand("answer", { number, answers: Object.fromEntries(fields.map((f) => [f.question, f.input.value])) });
  };
}

function buildConfirmation(form, waiting, number, sendCommand) {
  const facts = make("ul", "facts");
  fill(facts, waiting.facts.map((fact) => make("li", "", fact)));
  const says = make("blockquote", "thought", waiting.model_says);
  says.hidden = !waiting.model_says;
  const approve = make("button", "main", "Approve");
  const reject = make("button", "", "Reject");
  reject.type = approve.type = "button";
  approve.addEventListener("click", () => sendCommand("decide", { number, approve: true }));
  reject.addEventListener("click", () => sendCommand("decide", { number, approve: false }));
  const buttons = make("div", "row");
  buttons.append(approve, reject);
  form.onsubmit = (event) => event.preventDefault();
  form.replaceChildren(make("p", "", `${waiting.agent} wants to do this:`), facts, says, buttons);
}

function machineRow({ agent, state, cause, reason, active }) {
  const row = make("li", active ? "active" : "");
  row.append(make("span", "agent", agent), make("span", `pill ${tone(state)}`, state));
  if (cause) row.title = `${cause}${reason ? `: ${reason}` : ""}`;
  return row;
}

function phaseItem({ name, seconds, ok }) {
  const item = make("li", seconds === null ? "now" : ok ? "done" : "bad");
  item.append(make("span", "", PHASES[name] ?? name));
  if (seconds !== null) item.append(make("small", "", duration(seconds)));
  return item;
}

function actionItem({ words, effect, evidence, problem, seconds, is_running: isRunning }) {
  const item = make("li");
  item.append(make("span", `badge ${isRunning ? "plain" : tone(effect)}`, isRunning ? "under way" : effect));
  item.append(make("span", "words", words), make("small", "", isRunning ? "" : duration(seconds)));
  const told = problem || evidence;
  if (told) item.append(make("p", problem ? "problem" : "evidence", told));
  return item;
}

function budgetRow({ name, used, limit }) {
  const row = make("li");
  const bar = make("progress");
  Object.assign(bar, { max: limit, value: Math.min(used, limit) });
  const digits = name === "dollars" ? 2 : 0;
  bar.setAttribute("aria-label", name);
  row.append(make("span", "", `${name}: ${(limit - used).toFixed(digits)} of ${limit.toFixed(digits)} left`), bar);
  if (used >= 0.8 * limit) row.classList.add("low");
  return row;
}

function stepText({ step, subtask, window: title, controls, status }) {
  if (!step) return "Opening the desktop…";
  const words = [`Step ${step}`];
  if (subtask) words.push(subtask);
  if (title) words.push(`in “${title}” (${controls} controls)`);
  if (status) words.push(status);
  return words.join(" · ");
}

function spentText(spent) {
  if (!spent?.calls) return "";
  const cost = spent.cost_usd === null ? "cost unknown" : `$${spent.cost_usd.toFixed(4)}`;
  return `${spent.calls} model calls · ${spent.input + spent.output} tokens · ${cost}`;
}

function tone(word) {
  if (GOOD.includes(word) || word === "FINISH") return "good";
  if (BAD.includes(word) || ["FAIL", "ERROR"].includes(word)) return "bad";
  return ["CONTINUE", "ASSIGN"].includes(word) ? "plain" : "wary";
}

function duration(seconds) {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function make(tag, kind = "", text = "") {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text) element.textContent = text;
  return element;
}

function fill(list, items) {
  list.replaceChildren(...items);
}
