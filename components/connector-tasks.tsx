import type { ConnectorView } from "@/lib/views/connector";
import { asSentence } from "@/lib/views/format";
import type { TaskLine } from "@/lib/views/tasks-section";
import { Age } from "./age";
import { Card } from "./card";
import { CommandBlock } from "./command-block";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { RunMark } from "./run-mark";

function Task({ task }: { task: TaskLine }) {
  return (
    <li className="border-t border-line px-4 py-2.5 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-medium">{task.id === null ? "Connector" : `Task ${task.id}`}</span>
        <RunMark mark={task.mark} />
        {task.since && !task.mark.past ? (
          <span className="text-text-3">
            for <Age at={task.since} />
          </span>
        ) : null}
        {task.worker ? <span className="font-mono text-xs text-text-2">{task.worker}</span> : null}
        {task.version ? <span className="text-xs text-text-3">{task.version}</span> : null}
      </div>
      {task.trace ? (
        <>
          <p className="mt-1.5 font-semibold [overflow-wrap:anywhere] text-critical">{task.trace.cause}</p>
          {task.trace.hint ? <p className="text-text-2">{asSentence(task.trace.hint)}</p> : null}
          <details className="mt-1">
            <summary className="text-accent hover:underline">Full trace</summary>
            <CommandBlock text={task.trace.full} label="the trace" />
          </details>
        </>
      ) : null}
    </li>
  );
}

/** Tasks with worker and, when failed, the root cause. */
export function ConnectorTasks({ view: { tasks, head } }: { view: ConnectorView }) {
  return (
    <Card
      id="tasks"
      title="Tasks"
      stale={tasks.freshness.stale}
      note={<FreshnessNote freshness={tasks.freshness} told={head.freshness} />}
    >
      {tasks.whyNone ? <Notice sentence={tasks.whyNone} remedy={tasks.freshness.failure?.remedy} /> : null}
      <ul className="mt-1">
        {tasks.connector ? <Task task={tasks.connector} /> : null}
        {tasks.tasks.map((task) => (
          <Task key={task.id} task={task} />
        ))}
      </ul>
    </Card>
  );
}
