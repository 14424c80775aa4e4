import { render } from "preact";

import { App } from "./app";
import "./style.css";
import "./change.css";

render(<App />, document.body);
