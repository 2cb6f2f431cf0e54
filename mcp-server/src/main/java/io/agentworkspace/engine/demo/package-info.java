/** The demo: three agents handle an incident, each step a real call over MCP: {@code DemoScript}, {@code Demo}. */
@NullMarked
package io.agentworkspace.engine.demo;

import org.jspecify.annotations.NullMarked;
