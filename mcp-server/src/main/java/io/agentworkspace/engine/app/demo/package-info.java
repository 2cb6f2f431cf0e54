/** The console's button for the demo: starts the client of the module {@code examples}, and stores how far it is: {@code DemoRuns}. */
@NullMarked
package io.agentworkspace.engine.app.demo;

import org.jspecify.annotations.NullMarked;
