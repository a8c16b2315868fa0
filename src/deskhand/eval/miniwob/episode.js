// The first script of a served page: it starts the episode and reports what the page itself decides.
(() => {
  const {seed, mode, limit, report} = JSON.parse(document.currentScript.dataset.episode);
  const send = message => fetch(report, {method: "POST", keepalive: true, body: JSON.stringify(message)});
  addEventListener("error", event => send({kind: "fault", text: event.message || `not loaded: ${event.target.src}`}), true);
  addEventListener("unhandledrejection", event => send({kind: "fault", text: String(event.reason)}));

  function observeEnd() {
    const end = core.endEpisode;
    core.endEpisode = function (...given) {
      const before = WOB_EPISODE_ID;
      end.apply(this, given);
      if (WOB_EPISODE_ID !== before) {
        send({kind: "end", reward: WOB_RAW_REWARD_GLOBAL, reason: String(WOB_REWARD_REASON ?? "")});
      }
    };
  }

  function reportStart() {
    if (!WOB_TASK_READY) {
      setTimeout(reportStart, 20);
      return;
    }
    const given = core.getUtterance();
    send({kind: "start", utterance: typeof given === "string" ? given : given.utterance});
  }

  // After the page's own handler, which shows a cover that waits for a click.
  addEventListener("load", () => setTimeout(() => {
    observeEnd();
    core.EPISODE_MAX_TIME = limit;
    core.setDataMode(mode);
    Math.seedrandom(seed);
    core.startEpisodeReal();
    core.hideDisplay();  // its clock changes each second; the package's own agents do not get it either
    document.getElementById("click-canvas").style.display = "none";
    reportStart();
  }));
})();
