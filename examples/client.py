"""A minimal client: say something, see what waits, decide it, read the answer.

BASE=http://127.0.0.1:8000 KEY=assent_… python examples/client.py "delete test.txt"
"""

import os
import sys
import time

import httpx


def rested(client: httpx.Client, turn: dict) -> dict:
    """The turn once nothing happens any more unless somebody acts."""
    while not turn["resting"]:
        time.sleep(0.1)
        turn = client.get(f"/api/turns/{turn['id']}").raise_for_status().json()
    return turn


def asked(request: dict) -> dict:
    """What the person at this terminal says about a request."""
    print(f"\n{request['tool']} ({request['risk']}) {request['arguments']}")
    match request["kind"]:
        case "input":
            fields = request["form"]["fields"]
            values = {field["name"]: input(f"{field['label']}: ") for field in fields}
            return {"verdict": "answer", "values": values}
        case "result":
            return {"verdict": "supply", "output": input(f"{request['question']} ")}
        case "approval":
            said = input("Type yes to run it, or why not: ")
            if said != "yes":
                return {"verdict": "reject", "reason": said}
            # The digest says what was seen: if it has changed since, the server refuses.
            return {"verdict": "approve", "digest": request["digest"]}
    sys.exit(f"This client cannot decide what is asked: {request['kind']}")


def main(text: str) -> None:
    headers = {"Authorization": f"Bearer {os.environ['KEY']}"}
    base = os.environ.get("BASE", "http://127.0.0.1:8000")
    with httpx.Client(base_url=base, headers=headers, trust_env=False) as client:
        agent = client.get("/api/agents").raise_for_status().json()["items"][0]["name"]
        made = client.post("/api/conversations", json={"agent": agent}).raise_for_status().json()
        sent = client.post(f"/api/conversations/{made['id']}/messages", json={"text": text})
        turn = rested(client, sent.raise_for_status().json())
        while mine := [each["id"] for each in turn["pending"] if each["may_decide"]]:
            for id in mine:
                request = client.get(f"/api/requests/{id}").raise_for_status().json()
                client.post(f"/api/requests/{id}/decide", json=asked(request)).raise_for_status()
            turn = rested(client, client.get(f"/api/turns/{turn['id']}").json())
        print(f"\n{turn['text'] or 'Somebody else has to decide: ' + turn['pending'][0]['id']}")


main(" ".join(sys.argv[1:]) or "Perform a dangerous operation on test.txt")
