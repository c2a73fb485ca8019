// The lobby keeps itself up to date, and goes to the game as soon as one begins.

const list = document.getElementById("list");

async function load() {
  const response = await fetch("/lobby/list").catch(() => null);
  if (!response?.ok) return;
  const text = await response.text();
  if (text !== load.last) {
    // a visitor about to press a button keeps his place
    const form = document.activeElement?.closest?.("#list form");
    const action = form?.getAttribute("action");
    list.innerHTML = text;
    if (action) list.querySelector(`form[action="${action}"] button`)?.focus();
  }
  load.last = text;
}

const events = new EventSource("/lobby/events");
events.addEventListener("lobby", load);
events.addEventListener("game", (event) => location.assign(`/game/${event.data}`));
events.addEventListener("open", load);
