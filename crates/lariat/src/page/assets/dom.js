// Creates elements. Text becomes a text node or an attribute value, never markup.
const SVG = "http://www.w3.org/2000/svg";

// Characters that control a terminal or reorder text are shown as escapes, as in the text report.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const printable = (text) => String(text).replace(UNSAFE, (c) => "\\u{" + c.charCodeAt(0).toString(16) + "}");

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, printable(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined) node.append(child instanceof Node ? child : printable(child));
  }
  return node;
}

const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);
const laneClass = (lane) => "lane" + (lane % 8);
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (number, thing) => grouped(number) + " " + thing + (number === 1 ? "" : "s");

function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + "…";
}

function arrowHead(x, y, angle, className) {
  const point = (length, turn) => {
    const a = angle + turn;
    return (x - length * Math.cos(a)).toFixed(1) + " " + (y - length * Math.sin(a)).toFixed(1);
  };
  return svg("path", { class: className, d: `M${x} ${y} L${point(9, 0.4)} L${point(9, -0.4)} Z` });
}
