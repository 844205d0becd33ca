import "./build.js";
import "./check-search.js";
