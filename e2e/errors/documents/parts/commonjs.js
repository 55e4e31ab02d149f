const pad = require("./text/pad.js");

module.exports = { run: pad };
